import { Inject } from '@nestjs/common';
import { Command } from 'nest-commander';
import { EXIT } from '#domain';
import { writeJson, type CommandContext } from '../../cli/command-context.js';
import { COMMAND_CONTEXT } from '../../cli/command-context.token.js';
import { DeclaredCommand, ExitStatus } from '../../cli/declared.command.js';
import type { ParsedOptions } from '../../cli/parsed-options.js';
import { ModuleLoader } from '../../loading/module-loader.js';
import { requireValid, type ValidationReport } from '../../validation/validation.report.js';
import { ValidationService } from '../../validation/validation.service.js';
import { VALIDATE } from './validate.declaration.js';

@Command({ name: VALIDATE.name, description: VALIDATE.summary })
export class ValidateCommand extends DeclaredCommand {
  constructor(
    status: ExitStatus,
    @Inject(COMMAND_CONTEXT) private readonly context: CommandContext,
    private readonly loader: ModuleLoader,
    private readonly validation: ValidationService,
  ) {
    super(VALIDATE, status);
  }

  protected override async execute(options: ParsedOptions): Promise<number> {
    const loaded = await this.loader.load(options.text('module') ?? '', this.context.cwd);
    const report = await this.validation.validate(loaded, { dryRun: options.flag('dryRun') });
    const verbose = options.flag('verbose');
    if (!report.valid) {
      if (verbose && !this.context.json) this.context.stderr.write(warningList(report));
      requireValid(report);
    }
    if (this.context.json) writeJson(this.context, VALIDATE.name, report);
    else this.context.stdout.write(validText(report, verbose));
    return EXIT.ok;
  }
}

/** The form of spec 11.4, once for each agent. */
function validText({ agents, issues }: ValidationReport, verbose: boolean): string {
  const warnings = issues.length === 0 ? [] : [`  - Warnings: ${issues.length}`];
  const details = verbose ? issues.map(({ text }) => `    - ${text}`) : [];
  const blocks = agents.flatMap(({ name, tools, rewards }) => [
    `Agent loop '${name}' validated successfully.`,
    `  - Tools: ${tools.length}${verbose && tools.length > 0 ? ` (${tools.join(', ')})` : ''}`,
    ...(rewards.length > 0 ? [`  - Rewards: ${rewards.length}${verbose ? ` (${rewards.join(', ')})` : ''}`] : []),
  ]);
  return `${[...blocks, ...warnings, ...details].join('\n')}\n`;
}

function warningList({ issues }: ValidationReport): string {
  const warnings = issues.filter(({ level }) => level === 'warning');
  if (warnings.length === 0) return '';
  return `Warnings (${warnings.length}):\n${warnings.map(({ text }) => `  - ${text}\n`).join('')}\n`;
}
