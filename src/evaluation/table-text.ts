import { renderTable, type Table } from '#evaluation/plain';
import type { Paint } from '../cli/paint.js';
import { printable } from '../cli/printable.js';

/** A table under its title, with what others wrote in it made harmless for a terminal. */
export function tableText(table: Table, paint: Paint): string {
  const rows = table.rows.map((row) => row.map(printable));
  return `${paint('bold', table.title)}\n${renderTable({ ...table, rows })}\n`;
}
