import { resolve } from 'node:path';
import { Inject } from '@nestjs/common';
import { Command } from 'nest-commander';
import { COMMAND_CONTEXT } from '../../cli/command-context.token.js';
import type { CommandContext } from '../../cli/command-context.js';
import { DeclaredCommand, ExitStatus } from '../../cli/declared.command.js';
import type { ParsedOptions } from '../../cli/parsed-options.js';
import { findModuleFile } from '../../loading/module-file.js';
import { splitModulePath } from '../../loading/module-path.js';
import { AgentServer } from '../../serving/agent-server.js';
import { RELOAD_CHILD } from '../../serving/reload/reload-protocol.js';
import { ReloadSupervisor } from '../../serving/reload/reload-supervisor.js';
import { readServePlan } from '../../serving/serve-plan.js';
import { SERVE } from './serve.declaration.js';

@Command({ name: SERVE.name, description: SERVE.summary })
export class ServeCommand extends DeclaredCommand {
  constructor(
    status: ExitStatus,
    @Inject(COMMAND_CONTEXT) private readonly context: CommandContext,
    private readonly server: AgentServer,
  ) {
    super(SERVE, status);
  }

  protected override async execute(options: ParsedOptions): Promise<number> {
    const isChild = this.context.environment[RELOAD_CHILD] !== undefined;
    if (options.flag('reload') && !isChild) {
      const { path } = splitModulePath(options.text('module') ?? '', this.context.cwd);
      const file = resolve(findModuleFile(path, this.context.cwd));
      return new ReloadSupervisor(this.context, process.argv.slice(1)).run(file);
    }
    // The watching process is gone: nobody is left to end this one.
    if (isChild) process.once('disconnect', () => process.exit(1));
    return this.server.serve(this.context, await readServePlan(this.context, options));
  }
}
