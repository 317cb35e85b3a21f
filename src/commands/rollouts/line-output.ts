import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describeThrown, OsmosisError } from '#domain';
import type { Output } from '../../cli/command-context.js';

/** Where lines go one by one. Nothing is gathered: whoever writes waits for whoever reads. */
export interface LineOutput {
  write(line: string): Promise<void>;
  /** All lines are written, and stay. */
  finish(): Promise<void>;
  /** Lets go. Of a file that is not finished, nothing stays. */
  close(): Promise<void>;
}

export class StreamOutput implements LineOutput {
  constructor(private readonly output: Output) {}

  async write(line: string): Promise<void> {
    const { output } = this;
    if (output.write(`${line}\n`) === false && output instanceof Writable) await once(output, 'drain');
    // Reading a directory and writing to a pipe wait for nothing: without a turn of the event loop neither Ctrl-C nor the
    // end of whoever reads would be noticed.
    await turn();
  }

  async finish(): Promise<void> {}
  async close(): Promise<void> {}
}

/** A file that a reader sees whole, or as it was before. */
export class FileOutput implements LineOutput {
  readonly #temporary: string;
  #file: FileHandle | null = null;

  private constructor(private readonly path: string) {
    this.#temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
  }

  /** @throws OsmosisError CONFIG_INVALID when the file cannot be made there */
  static async create(path: string): Promise<FileOutput> {
    const output = new FileOutput(path);
    try {
      const there = await stat(path).catch(() => null);
      // A device would be replaced by a file.
      if (there && !there.isFile()) throw new Error('it is there, and no file');
      // Conversations are for whoever may read the store: its owner.
      output.#file = await open(output.#temporary, 'wx', 0o600);
    } catch (error) {
      throw unwritable('CONFIG_INVALID', path, error);
    }
    return output;
  }

  async write(line: string): Promise<void> {
    try {
      await this.#file?.writeFile(`${line}\n`);
    } catch (error) {
      throw unwritable('STORE_UNAVAILABLE', this.path, error);
    }
  }

  async finish(): Promise<void> {
    try {
      await this.#file?.close();
      this.#file = null;
      await rename(this.#temporary, this.path);
    } catch (error) {
      throw unwritable('STORE_UNAVAILABLE', this.path, error);
    }
  }

  async close(): Promise<void> {
    await this.#file?.close().catch(() => {});
    this.#file = null;
    await rm(this.#temporary, { force: true });
  }
}

export function unwritable(code: 'CONFIG_INVALID' | 'STORE_UNAVAILABLE', path: string, error: unknown): OsmosisError {
  const message = `${path} cannot be written: ${describeThrown(error)}. Choose another place for it.`;
  return new OsmosisError(code, message, { cause: error });
}
