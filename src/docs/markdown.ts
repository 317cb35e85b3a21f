/** A Markdown table as Prettier would write it. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = [head, ...rows].map((row) => row.map(escapeCell));
  const widths = head.map((_, column) => Math.max(3, ...cells.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]): string =>
    `| ${widths.map((width, column) => (row[column] ?? '').padEnd(width)).join(' | ')} |\n`;
  const [first = [], ...others] = cells;
  const rule = `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |\n`;
  return line(first) + rule + others.map(line).join('');
}

export function code(text: string): string {
  return `\`${text}\``;
}

/** Words in angle brackets would be taken for HTML outside of code. */
function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/`[^`]*`|<(?=\w)/g, (match) => (match === '<' ? '\\<' : match));
}
