import { ConsoleLogger, type ConsoleLoggerOptions, type LogLevel } from '@nestjs/common';

/** Levels that are worth a write of their own: after them the process may not live to see another turn. */
const URGENT: ReadonlySet<LogLevel> = new Set(['warn', 'error', 'fatal']);
/** Characters that wait at most. */
const FULL = 64 * 1024;

/**
 * Nest's own logger, writing to one stream. JSON lines of plain texts take a short way: the lines of one turn of the event
 * loop are one write, and no text goes through Nest's serialiser, which asks a function about each field. A server writes
 * one for each rollout.
 */
export class LineLogger extends ConsoleLogger {
  #waiting = '';
  readonly #tail: string;

  /** @param fields what every JSON line tells, last */
  constructor(
    options: ConsoleLoggerOptions,
    private readonly stream: 'stdout' | 'stderr',
    private readonly fields: Readonly<Record<string, number | undefined>> = {},
  ) {
    super(options);
    const text = JSON.stringify(fields).slice(1, -1);
    this.#tail = `${text && `,${text}`}}\n`;
    if (options.json) process.once('exit', () => this.#flush());
  }

  /** The usual case: a text and where it comes from. */
  override log(message: unknown, ...rest: unknown[]): void {
    const [context] = rest;
    const isPlain =
      this.options.json && rest.length === 1 && typeof message === 'string' && typeof context === 'string';
    if (!isPlain) super.log(message, ...rest);
    else if (this.isLevelEnabled('log')) this.#write('log', message, context);
  }

  protected override getJsonLogObject(...args: Parameters<ConsoleLogger['getJsonLogObject']>) {
    return { ...super.getJsonLogObject(...args), ...this.fields };
  }

  protected override printMessages(
    messages: unknown[],
    context?: string,
    logLevel: LogLevel = 'log',
    _stream?: 'stdout' | 'stderr',
    errorStack?: unknown,
    params?: Record<string, unknown>,
  ): void {
    const [message] = messages;
    if (!this.options.json || messages.length !== 1 || typeof message !== 'string' || errorStack || params) {
      this.#flush();
      super.printMessages(messages, context, logLevel, this.stream, errorStack, params);
      return;
    }
    this.#write(logLevel, message, context);
  }

  #write(logLevel: LogLevel, message: string, context: string | undefined): void {
    if (this.#waiting === '') setImmediate(() => this.#flush());
    const where = context ? `,"context":${JSON.stringify(context)}` : '';
    const head = `{"level":"${logLevel}","pid":${process.pid},"timestamp":${Date.now()}`;
    this.#waiting += `${head},"message":${JSON.stringify(message)}${where}${this.#tail}`;
    if (URGENT.has(logLevel) || this.#waiting.length > FULL) this.#flush();
  }

  #flush(): void {
    const text = this.#waiting;
    if (text === '') return;
    this.#waiting = '';
    process[this.stream].write(text);
  }
}
