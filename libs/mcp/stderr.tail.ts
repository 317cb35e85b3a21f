import type { Readable } from 'node:stream';
import { Logger } from '@nestjs/common';
import type { SecretTexts } from './secret.texts.js';

/** Characters that an error shows. */
const MOST = 2_000;

/** The end of what a server says of itself: mostly why it did not start. */
export class StderrTail {
  private readonly logger = new Logger('Mcp');
  #tail = '';

  constructor(private readonly secrets: SecretTexts) {}

  follow(stream: Readable | null): void {
    stream?.on('data', (chunk: Buffer) => {
      const text = chunk.toString('utf8');
      this.#tail = (this.#tail + text).slice(-MOST);
      this.logger.debug?.(this.secrets.hide(text.trimEnd()));
    });
  }

  /** A sentence to be put after another; empty when nothing was said. */
  get text(): string {
    const text = this.secrets.hide(this.#tail.trim());
    return text === '' ? '' : `\nIt said:\n${text}\n`;
  }
}
