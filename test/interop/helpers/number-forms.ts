import { readJsonText } from '#domain';

/** A row of docs/compatibility.md about numbers, and the literals it is about. */
const NUMBER_ROWS: readonly (readonly [row: string, applies: (source: string) => boolean])[] = [
  ['integral-floats', (source) => /[.e]/i.test(source) && Number.isInteger(Number(source))],
  ['negative-zero', (source) => Object.is(Number(source), -0)],
  ['big-integers', (source) => !/[.e]/i.test(source) && !Number.isSafeInteger(Number(source))],
];

/** The rows that may have a say in an input, also in the JSON that its texts hold. */
export function numberRows(input: string): string[] {
  const sources: string[] = [];
  visitNumbers(input, (source) => sources.push(source));
  return NUMBER_ROWS.filter(([, applies]) => sources.some(applies)).map(([row]) => row);
}

/** The input with its numbers as Python would have written ours: to be asked about once more. */
export function asOurNumbers(input: string): string {
  return jsonOf(readJsonText(input));
}

function visitNumbers(json: string, visit: (source: string) => void): void {
  const value = readJsonText(json, {
    number: (source) => {
      visit(source);
      return 0;
    },
  });
  for (const text of textsOf(value)) if (isJson(text)) visitNumbers(text, visit);
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** A value as JSON whose numbers Python reads as ours. */
export function jsonOf(value: unknown): string {
  if (typeof value === 'number') return writeNumber(value);
  if (typeof value === 'string') return JSON.stringify(isJson(value) ? jsonOf(readJsonText(value)) : value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(jsonOf).join(', ')}]`;
  return `{${Object.entries(value)
    .map(([key, field]) => `${JSON.stringify(key)}: ${jsonOf(field)}`)
    .join(', ')}}`;
}

function writeNumber(value: number): string {
  if (Object.is(value, -0)) return '-0.0';
  if (!Number.isFinite(value)) return value > 0 ? '1e999' : '-1e999';
  return Number.isInteger(value) && Math.abs(value) < 1e16 ? String(value) : value.toExponential();
}
