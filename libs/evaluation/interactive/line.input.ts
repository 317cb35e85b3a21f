import { createInterface, type Interface } from 'node:readline';

/** Where the session's commands come from, and where it writes. */
export interface InteractiveIo {
  /** The next line without its end; null at the end of the input, and for Ctrl-C at a prompt. */
  readLine(prompt: string): Promise<string | null>;
  write(text: string): void;
}

/** Lines of a stream, kept until they are asked for: a script may be written to a pipe at once. */
export class StreamLines {
  readonly #lines: Interface;
  readonly #waiting: string[] = [];
  #isClosed = false;
  #wake: (() => void) | null = null;

  constructor(input: NodeJS.ReadableStream) {
    this.#lines = createInterface({ input, crlfDelay: Infinity });
    this.#lines.on('line', (line) => {
      this.#waiting.push(line);
      this.#wake?.();
    });
    this.#lines.on('close', () => {
      this.#isClosed = true;
      this.#wake?.();
    });
  }

  /** Null when there are no more. */
  async next(): Promise<string | null> {
    while (this.#waiting.length === 0 && !this.#isClosed) await new Promise<void>((resolve) => (this.#wake = resolve));
    return this.#waiting.shift() ?? null;
  }

  close(): void {
    this.#lines.close();
  }
}
