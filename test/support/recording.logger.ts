import type { LoggerService } from '@nestjs/common';

/** Keeps what was logged, so that a test can look at it. */
export class RecordingLogger implements LoggerService {
  readonly lines: string[] = [];

  get text(): string {
    return this.lines.join('\n');
  }

  log = this.at('log');
  error = this.at('error');
  warn = this.at('warn');
  debug = this.at('debug');
  verbose = this.at('verbose');
  fatal = this.at('fatal');

  private at(level: string) {
    return (message: unknown, ...more: unknown[]): void => {
      const parts = [message, ...more].map((part) =>
        part instanceof Error ? (part.stack ?? part.message) : String(part),
      );
      this.lines.push(`${level} ${parts.join(' ')}`);
    };
  }
}
