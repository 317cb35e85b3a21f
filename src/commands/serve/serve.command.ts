import cluster from 'node:cluster';
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
import { readServePlan } from '../../serving/serve-plan.js';
import { WORKER_MARK } from '../../serving/workers/worker-protocol.js';
import { WorkerServer } from '../../serving/workers/worker-server.js';
import { SERVE } from './serve.declaration.js';

@Command({ name: SERVE.name, description: SERVE.summary })
export class ServeCommand extends DeclaredCommand {
  constructor(
    status: ExitStatus,
    @Inject(COMMAND_CONTEXT) private readonly context: CommandContext,
    private readonly server: AgentServer,
    private readonly workers: WorkerServer,
  ) {
    super(SERVE, status);
  }

  protected override async execute(options: ParsedOptions): Promise<number> {
    if (cluster.isWorker && this.context.environment[WORKER_MARK]) return this.serveAsWorker(options);
    const isChild = this.context.environment[RELOAD_CHILD] !== undefined;
    if (options.flag('reload') && !isChild) {
      const { path } = splitModulePath(options.text('module') ?? '', this.context.cwd);
      const file = resolve(findModuleFile(path, this.context.cwd));
      const { ReloadSupervisor } = await import('../../serving/reload/reload-supervisor.js');
      return new ReloadSupervisor(this.context, process.argv.slice(1)).run(file);
    }
    // The watching process is gone: nobody is left to end this one.
    if (isChild) process.once('disconnect', () => process.exit(1));
    const plan = await readServePlan(this.context, options);
    return plan.workers > 1 ? this.workers.serve(this.context, plan) : this.server.serve(this.context, plan);
  }

  private async serveAsWorker(options: ParsedOptions): Promise<number> {
    const { WorkerLink } = await import('../../serving/workers/worker-link.js');
    const link = await WorkerLink.open();
    return this.server.serve(this.context, await readServePlan(this.context, options, link.assignment), link);
  }
}
