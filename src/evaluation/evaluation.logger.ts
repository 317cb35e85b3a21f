import { Logger } from '@nestjs/common';
import type { CommandContext } from '../cli/command-context.js';
import { consoleToStderr } from '../cli/user-console.js';
import { LOG_LEVELS, StderrLogger } from '../serving/stderr.logger.js';

/** Nest's word for an agent or a tool that threw. The results say it as well, without a stack (spec G-F). */
const REPORTED_ANYWAY = 'ExceptionsHandler';

/** Warnings and errors on stderr; what the application says at its start with `--debug`, errors only with `--quiet`. */
export class EvaluationLogger extends StderrLogger {
  /** @param beforeLog takes away what stands on the terminal's line */
  constructor(
    private readonly command: Pick<CommandContext, 'json' | 'debug' | 'quiet' | 'paint'>,
    beforeLog: () => void,
  ) {
    const { json, paint } = command;
    super({ json, colors: paint.stderr('red', '') !== '', logLevels: LOG_LEVELS[levelOf(command)] ?? [] }, beforeLog);
  }

  override error(message: unknown, ...rest: unknown[]): void {
    if (rest.at(-1) === REPORTED_ANYWAY && !this.command.debug) return;
    super.error(message, ...rest);
  }
}

function levelOf({ debug, quiet }: Pick<CommandContext, 'debug' | 'quiet'>): string {
  if (debug) return 'info';
  return quiet ? 'error' : 'warning';
}

/**
 * Keeps stdout for the result: whatever a module, an MCP server's connection or the application says goes to stderr from
 * now on. Call it before any of them is loaded.
 */
export function divertOutput(context: CommandContext, beforeLog: () => void): EvaluationLogger {
  const logger = new EvaluationLogger(context, beforeLog);
  Logger.overrideLogger(logger);
  consoleToStderr();
  return logger;
}
