import { printable } from '../../cli/printable.js';

/** An id that can be copied: as it is or, where that could not be read, in quotes. */
export function idText(id: string): string {
  return /^[^\s"'\\\p{C}]+$/u.test(id) ? id : printable(JSON.stringify(id));
}

/** Text of others in one line. */
export function oneLine(text: string): string {
  return printable(text.replace(/\s+/g, ' ').trim());
}

/** Text of others, every line behind an indent. */
export function indented(text: string, indent: string): string {
  return printable(text.replace(/\r\n?/g, '\n'))
    .split('\n')
    .map((line) => (line === '' ? '' : indent + line))
    .join('\n');
}
