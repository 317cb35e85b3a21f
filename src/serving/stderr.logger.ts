import type { ConsoleLoggerOptions, LogLevel } from '@nestjs/common';
import type { CommandContext } from '../cli/command-context.js';
import { LineLogger } from './line.logger.js';

/** Log levels by the names that the command line knows (spec 11.1). */
export const LOG_LEVELS: Readonly<Record<string, LogLevel[]>> = {
  debug: ['fatal', 'error', 'warn', 'log', 'debug', 'verbose'],
  info: ['fatal', 'error', 'warn', 'log'],
  warning: ['fatal', 'error', 'warn'],
  error: ['fatal', 'error'],
  critical: ['fatal'],
};

/** Nest tells of each module and route it sets up: of interest to who looks for a fault, and to nobody else. */
const CHATTER = new Set(['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication']);

interface StderrLoggerOptions extends ConsoleLoggerOptions {
  readonly logLevels: LogLevel[];
  /** The number of the worker that writes, where there are several. */
  readonly worker?: number | undefined;
}

/** Writes to stderr: stdout is for results. */
export class StderrLogger extends LineLogger {
  /** @param beforePrint takes away what stands on the line, such as a progress bar */
  constructor(
    { worker, ...options }: StderrLoggerOptions,
    private readonly beforePrint: () => void = () => {},
  ) {
    super({ ...options, ...(worker !== undefined && { prefix: `Worker ${worker}` }) }, 'stderr', { worker });
  }

  override log(message: unknown, ...rest: unknown[]): void {
    const context = rest.at(-1);
    if (typeof context === 'string' && CHATTER.has(context) && !this.isLevelEnabled('debug')) return;
    super.log(message, ...rest);
  }

  protected override printMessages(...args: Parameters<LineLogger['printMessages']>): void {
    this.beforePrint();
    super.printMessages(...args);
  }
}

/** The logger of a server, or of one of its workers: JSON unless people look on. */
export function serveLogger(context: CommandContext, logLevel: string, worker?: number): StderrLogger {
  const json = context.json || !context.terminal.stderr;
  return new StderrLogger({
    json,
    colors: !json && context.paint.stderr('red', '') !== '',
    logLevels: LOG_LEVELS[logLevel] ?? [],
    worker,
  });
}
