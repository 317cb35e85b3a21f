import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROWS } from './support/rows.js';

const page = (name: string): string => readFileSync(join(__dirname, '../../docs', name), 'utf8');

/** The cells of the tables' first column. */
function firstCells(text: string): string[] {
  return text.split('\n').flatMap((line) => /^\| ([a-z0-9-]+) +\|/.exec(line)?.[1] ?? []);
}

describe('the rows that explain differences', () => {
  it.each(Object.entries(ROWS))('%s: each stands in docs/compatibility.md', (_suite, rows) => {
    expect(firstCells(page('compatibility.md'))).toEqual(expect.arrayContaining(Object.keys(rows)));
  });

  it('docs/interop.md tells the same figures', () => {
    const rows = [...new Set(Object.values(ROWS).flatMap((suite) => Object.keys(suite)))].sort();
    const figures = rows.map((row) => [
      row,
      ...Object.values(ROWS).map((suite) => String((suite as Readonly<Record<string, number>>)[row] ?? '')),
    ]);
    const table = page('interop.md')
      .split('\n')
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim()),
      )
      .filter(([first = '']) => rows.includes(first));
    expect(table).toEqual(figures);
  });
});
