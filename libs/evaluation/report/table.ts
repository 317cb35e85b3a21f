/** A table as data: the command line may draw it in colour, a pipe gets {@link renderTable}. */
export interface Table {
  readonly title: string;
  readonly columns: readonly TableColumn[];
  readonly rows: readonly (readonly string[])[];
}

export interface TableColumn {
  readonly title: string;
  /** Characters at least. */
  readonly width: number;
}

/** Pipe-separated, with a dashed rule under the head (spec F.8). Columns grow with what is in them. */
export function renderTable({ columns, rows }: Table): string {
  const widths = columns.map(({ title, width }, index) =>
    Math.max(width, title.length, ...rows.map((row) => row[index]?.length ?? 0)),
  );
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join(' | ')
      .trimEnd();
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-');
  return [line(columns.map(({ title }) => title)), rule, ...rows.map(line)].join('\n');
}
