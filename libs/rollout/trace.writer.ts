import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import type { TraceSink } from '#agent';
import { describeThrown } from '#domain';
import { fileNameOf } from './trajectory/file-name.js';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';

/** Writes traces as JSONL, one file a rollout, off the event loop. A file that cannot be written is a warning. */
@Injectable()
export class TraceWriter implements TraceSink, OnApplicationShutdown {
  private readonly logger = new Logger('Trace');
  /** Lines that wait to be written, by file. */
  private readonly waiting = new Map<string, string[]>();
  private writing: Promise<void> | null = null;
  private warned = false;

  constructor(@Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions) {}

  get enabled(): boolean {
    return this.options.traceDir !== undefined;
  }

  write(rolloutId: string, eventType: string, data: Readonly<Record<string, unknown>>): void {
    const directory = this.options.traceDir;
    if (directory === undefined) return;
    const own = {
      event: eventType,
      rollout_id: rolloutId,
      timestamp: new Date(this.options.clock.now()).toISOString(),
    };
    const file = join(directory, traceFileName(rolloutId));
    const lines = this.waiting.get(file);
    const line = jsonLine(own, data);
    if (lines) lines.push(line);
    else this.waiting.set(file, [line]);
    this.writing ??= this.writeWaiting(directory);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.flush();
  }

  /** Resolves when everything written so far is in its file. */
  async flush(): Promise<void> {
    await this.writing;
  }

  private async writeWaiting(directory: string): Promise<void> {
    // Lines of one turn of the event loop go out together.
    await new Promise(setImmediate);
    try {
      await mkdir(directory, { recursive: true });
      for (const [file, lines] of this.waiting) {
        this.waiting.delete(file);
        await appendFile(file, lines.join(''), 'utf8');
      }
    } catch (error) {
      this.waiting.clear();
      if (!this.warned) this.logger.warn(`Traces cannot be written to ${directory}: ${describeThrown(error)}`);
      this.warned = true;
    } finally {
      this.writing = null;
    }
  }
}

/** The three fields of ours cannot be overwritten by the caller's data. */
function jsonLine(own: object, data: Readonly<Record<string, unknown>>): string {
  try {
    return `${JSON.stringify({ ...own, ...data, ...own })}\n`;
  } catch (error) {
    return `${JSON.stringify({ ...own, unserialisable: describeThrown(error) })}\n`;
  }
}

export function traceFileName(rolloutId: string): string {
  return `${fileNameOf(rolloutId)}.jsonl`;
}
