import { Readable } from 'node:stream';
import { CsvError, parse, type Info } from 'csv-parse';
import { describeThrown } from '#domain';
import { DatasetError } from './dataset.error.js';
import type { RecordBatches } from './dataset.types.js';

const LINE_ENDS = ['\r\n', '\n'];

interface CsvRecord {
  readonly record: readonly string[];
  readonly info: Info;
}

/**
 * RFC 4180 with a header line. Every value is text, exactly as it stands in the file: nothing is parsed or guessed (case
 * DS-16). Blank lines are passed over; cells that are missing at the end of a row are null.
 */
export async function* readCsv(text: AsyncIterable<string>, path: string): RecordBatches {
  const parser = parse({ info: true, relax_column_count: true, skip_empty_lines: true, record_delimiter: LINE_ENDS });
  const source = Readable.from(text);
  source.once('error', (error) => parser.destroy(error));
  const lines = new LineCount();
  let header: readonly string[] | undefined;
  try {
    for await (const { record: cells, info } of source.pipe(parser) as AsyncIterable<CsvRecord>) {
      const line = lines.lineOf(cells, info);
      if (isBlank(cells)) continue;
      if (header) {
        const names = header;
        yield [{ line, read: () => toObject(names, cells, path, line) }];
      } else header = checkedHeader(cells, path);
    }
  } catch (error) {
    throw error instanceof CsvError ? badCsv(error, path) : error;
  } finally {
    source.destroy();
  }
}

/** A line of white space is a blank one. */
function isBlank(cells: readonly string[]): boolean {
  return cells.length === 1 && cells[0]?.trim() === '';
}

/** Lines in which records begin. The parser tells those in which they end, and takes a `\r\n` within quotes for two. */
class LineCount {
  #tooMany = 0;

  lineOf(cells: readonly string[], info: Info): number {
    const breaks = countOf('\n', cells);
    this.#tooMany += countOf('\r\n', cells);
    return info.lines - this.#tooMany - breaks;
  }
}

function countOf(text: string, cells: readonly string[]): number {
  return cells.reduce((sum, cell) => sum + cell.split(text).length - 1, 0);
}

function checkedHeader(names: readonly string[], path: string): readonly string[] {
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return names;
  const message = `the header has the column ${JSON.stringify(twice)} twice. Rename one`;
  throw new DatasetError(path, { kind: 'columns', message, place: { line: 1 }, field: twice });
}

function toObject(
  names: readonly string[],
  cells: readonly string[],
  path: string,
  line: number,
): Record<string, string | null> {
  if (cells.length > names.length) {
    const message = `the row has ${cells.length} cells, the header ${names.length} columns. Quote cells that hold a comma`;
    throw new DatasetError(path, { kind: 'columns', message, place: { line } });
  }
  return Object.fromEntries(names.map((name, index) => [name, cells[index] ?? null]));
}

function badCsv(error: CsvError, path: string): DatasetError {
  const line: unknown = error['lines'];
  const place = typeof line === 'number' ? { line } : {};
  return new DatasetError(path, { kind: 'syntax', message: `bad CSV: ${describeThrown(error)}`, place }, error);
}
