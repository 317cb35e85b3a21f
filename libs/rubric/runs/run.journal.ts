import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { RubricFileError } from '../config/file.problem.js';
import type { RubricConfig } from '../config/rubric.suite.js';
import type { RubricRecord } from '../records/rubric.record.js';
import type { EvaluationRun } from './run.types.js';

interface JournalLine {
  readonly record: number;
  readonly run: EvaluationRun;
}

/**
 * What a session has done so far, a line a run, beside its report. Whatever ends the process, the next session takes up
 * there; the finished report removes it.
 */
export class RunJournal {
  readonly #known = new Map<string, EvaluationRun>();
  #writing: Promise<void> = Promise.resolve();

  private constructor(private readonly path: string) {}

  /**
   * Opens the journal of a report.
   *
   * @param resume takes the successful runs of the last session; failed ones are made again
   * @throws RubricFileError when the rubric or the records have changed since
   */
  static async open(reportPath: string, fingerprint: string, resume: boolean): Promise<RunJournal> {
    const journal = new RunJournal(`${reportPath}.partial.jsonl`);
    const text = resume ? await readFile(journal.path, 'utf8').catch(() => '') : '';
    journal.take(text, fingerprint);
    const kept = [...journal.#known].map(([key, run]) => journalLine(Number(key.split('/', 1)[0]), run));
    await mkdir(dirname(journal.path), { recursive: true });
    await writeFile(journal.path, [`${JSON.stringify({ fingerprint })}\n`, ...kept].join(''));
    return journal;
  }

  get resumedRuns(): number {
    return this.#known.size;
  }

  known(recordIndex: number, runIndex: number): EvaluationRun | undefined {
    return this.#known.get(`${recordIndex}/${runIndex}`);
  }

  /** One line after the other, also when several runs end at once. */
  append(recordIndex: number, run: EvaluationRun): Promise<void> {
    this.#writing = this.#writing.then(() => appendFile(this.path, journalLine(recordIndex, run)));
    return this.#writing;
  }

  async remove(): Promise<void> {
    await this.#writing;
    await rm(this.path, { force: true });
  }

  private take(text: string, fingerprint: string): void {
    const [header, ...lines] = text.split('\n').map(parse);
    if (header === undefined) return;
    if ((header as { fingerprint?: unknown }).fingerprint !== fingerprint) {
      throw RubricFileError.at(
        this.path,
        'belongs to another rubric or other records. Remove it, or begin anew without resume',
      );
    }
    // A line cut short by a crash is the last one; its run is made again.
    for (const line of lines) {
      const { record, run } = (line ?? {}) as Partial<JournalLine>;
      if (record === undefined || run?.status !== 'success') continue;
      this.#known.set(`${record}/${run.run_index}`, run);
    }
  }
}

/** Names everything a run depends on, so that a resumed session cannot mix two of them. */
export function sessionFingerprint(config: RubricConfig, records: readonly RubricRecord[]): string {
  const hash = createHash('sha256').update(JSON.stringify(config));
  for (const record of records) hash.update('\n').update(JSON.stringify(record.payload));
  return hash.digest('hex');
}

function journalLine(record: number, run: EvaluationRun): string {
  return `${JSON.stringify({ record, run } satisfies JournalLine)}\n`;
}

function parse(line: string): object | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
