import { open, type FileHandle } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const CHUNK_BYTES = 64 * 1024;
/** Between two writes. Fast runs would otherwise each wait for a write and a sync of their own: a third of their CPU. */
const GATHER_MS = 5;

/**
 * An append-only file of lines. A line is on the disk when its promise resolves; lines that are appended while the disk is
 * busy, or within a few milliseconds, go there together, so that many runs share one wait.
 */
export class DurableFile {
  #waiting: string[] = [];
  #next: Promise<void> | null = null;
  #flushedAt = -Infinity;
  #last: Promise<void> = Promise.resolve();

  private constructor(private readonly handle: FileHandle) {}

  /** Opens or makes the file. What a killed process left half-written at its end is cut off. */
  static async open(path: string, mode: 'new' | 'continue'): Promise<DurableFile> {
    const handle = await open(path, mode === 'new' ? 'wx+' : 'r+', 0o600);
    try {
      const { size } = await handle.stat();
      const end = await endOfLastLine(handle, size);
      if (end < size) await handle.truncate(end);
      return new DurableFile(await reopen(handle, path));
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** @param line without its end; may be several. @throws what the disk says */
  append(line: string): Promise<void> {
    this.#waiting.push(`${line}\n`);
    this.#next ??= this.#last = this.#last.then(() => this.#flush());
    return this.#next;
  }

  /** Waits for what was appended. */
  async close(): Promise<void> {
    await this.#last.catch(() => {});
    await this.handle.close();
  }

  async #flush(): Promise<void> {
    const leftMs = this.#flushedAt + GATHER_MS - performance.now();
    if (leftMs > 0) await pause(leftMs);
    this.#flushedAt = performance.now();
    const lines = this.#waiting;
    this.#waiting = [];
    this.#next = null;
    await this.handle.appendFile(lines.join(''));
    await this.handle.datasync();
  }
}

/** For appending: another program that writes to the file, too, would otherwise be overwritten. */
async function reopen(handle: FileHandle, path: string): Promise<FileHandle> {
  await handle.close();
  return open(path, 'a');
}

/** Byte behind the last line end. */
async function endOfLastLine(handle: FileHandle, size: number): Promise<number> {
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let end = size; end > 0;) {
    const start = Math.max(0, end - CHUNK_BYTES);
    const { bytesRead } = await handle.read(chunk, 0, end - start, start);
    const at = chunk.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return 0;
}
