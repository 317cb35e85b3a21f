import type { ConsoleLoggerOptions, LogLevel } from '@nestjs/common';
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

/** Writes to stderr: stdout is for results. */
export class StderrLogger extends LineLogger {
  /** @param beforePrint takes away what stands on the line, such as a progress bar */
  constructor(
    options: ConsoleLoggerOptions & { readonly logLevels: LogLevel[] },
    private readonly beforePrint: () => void = () => {},
  ) {
    super(options, 'stderr');
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
