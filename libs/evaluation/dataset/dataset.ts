import { createHash } from 'node:crypto';
import { readCsv } from './csv.reader.js';
import { ColumnMapping } from './dataset.columns.js';
import { DatasetError } from './dataset.error.js';
import { formOf, type FileForm } from './dataset.format.js';
import type { DatasetRow, DatasetSpec, RawRecord, RecordBatches } from './dataset.types.js';
import { readJson } from './json.reader.js';
import { readJsonl } from './jsonl.reader.js';
import { countParquetRows, readParquet } from './parquet.reader.js';
import { checkRow } from './row.checks.js';
import { bytesOf, openSource, type SourceFile } from './source.file.js';
import { decodeText } from './text.decoder.js';

/** How many rows a dataset has. */
export interface RowCount {
  readonly rows: number;
  /** False when counting was ended before the end of the file. */
  readonly exact: boolean;
}

/**
 * The rows of a file, always read by stream: only a window of them is in memory, and nothing behind the window is looked
 * at (weakness H 23). May be read several times, also at once. Close it when done.
 */
export class Dataset {
  private constructor(
    readonly spec: DatasetSpec,
    private readonly form: FileForm,
    private readonly source: SourceFile,
  ) {}

  /**
   * @param stdin what `-` names
   * @throws DatasetError when the file cannot be opened or its name tells no format; OsmosisError for a bad window
   */
  static async open(spec: DatasetSpec, stdin?: NodeJS.ReadableStream): Promise<Dataset> {
    requireWhole(spec.path, 'offset', spec.offset ?? 0, 0);
    requireWhole(spec.path, 'limit', spec.limit ?? 1, 1);
    const form = formOf(spec);
    // A wrong mapping is told before the file is opened.
    void new ColumnMapping(spec.path, spec.columns);
    return new Dataset(spec, form, await openSource(spec.path, stdin));
  }

  get path(): string {
    return this.spec.path;
  }

  /**
   * The rows of the window, each checked.
   *
   * @throws DatasetError for the first record that cannot be used
   */
  async *rows(): AsyncGenerator<DatasetRow> {
    const mapping = new ColumnMapping(this.path, this.spec.columns);
    for await (const { from, records } of this.batches()) {
      for (const [place, record] of records.entries()) yield this.toRow(record, from + place, mapping);
    }
  }

  /** The row at a place in the file; undefined when there is none in the window. */
  async row(index: number): Promise<DatasetRow | undefined> {
    const { offset = 0, limit = Infinity } = this.spec;
    if (index < offset || index >= offset + limit) return undefined;
    const spec = { ...this.spec, offset: index, limit: 1 };
    for await (const row of new Dataset(spec, this.form, this.source).rows()) return row;
    return undefined;
  }

  /** The records of the window, not yet parsed. */
  async *window(): AsyncGenerator<{ readonly index: number; readonly record: RawRecord }> {
    for await (const { from, records } of this.batches()) {
      for (const [place, record] of records.entries()) yield { index: from + place, record };
    }
  }

  /** @throws DatasetError where the record is no row */
  toRow(record: RawRecord, index: number, mapping: ColumnMapping): DatasetRow {
    const place = { line: record.line, row: index };
    return checkRow(mapping.apply(record.read() as Record<string, unknown>, place), this.path, place);
  }

  /** Records of the file; Parquet tells from its footer, the others are read through. @param enough where to stop */
  async count(enough = Infinity): Promise<RowCount> {
    if (this.form.format === 'parquet') return { rows: await countParquetRows(this.source), exact: true };
    let rows = 0;
    for await (const records of this.records(0)) {
      rows += records.length;
      if (rows >= enough) return { rows: enough, exact: false };
    }
    return { rows, exact: true };
  }

  /** SHA-256 of the file's bytes, as hex: what a resumed run knows its dataset by. */
  async sha256(): Promise<string> {
    const hash = createHash('sha256');
    for await (const chunk of bytesOf(this.source, false)) hash.update(chunk);
    return hash.digest('hex');
  }

  /** Removes what was kept of standard input. */
  close(): Promise<void> {
    return this.source.release();
  }

  /** Those of the window, with the place of the first in the file. */
  private async *batches(): AsyncGenerator<{ readonly from: number; readonly records: readonly RawRecord[] }> {
    const { offset = 0, limit = Infinity } = this.spec;
    let from = this.form.format === 'parquet' ? offset : 0;
    for await (const records of this.records(from)) {
      const first = Math.max(0, offset - from);
      const wanted = records.slice(first, offset + limit - from);
      if (wanted.length > 0) yield { from: from + first, records: wanted };
      from += records.length;
      if (from >= offset + limit) return;
    }
  }

  private records(firstRow: number): RecordBatches {
    const { path, source, form } = this;
    if (form.format === 'parquet') return readParquet(source, firstRow);
    const text = decodeText(bytesOf(source, form.gzip), path);
    switch (form.format) {
      case 'jsonl':
        return readJsonl(text, path);
      case 'json':
        return readJson(text, path);
      case 'csv':
        return readCsv(text, path);
    }
  }
}

function requireWhole(path: string, name: string, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new DatasetError(path, { kind: 'file', message: `${name} must be a whole number from ${least}, not ${value}` });
}
