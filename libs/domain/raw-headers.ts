/**
 * The value of a header among names and values in turns, as undici hands them over; several joined as HTTP joins them,
 * null when it is missing. Few answers have a header that anybody asks for: reading one by one is cheaper than all.
 *
 * @param name in lower case
 */
export function rawHeader(rawHeaders: readonly Buffer[], name: string): string | null {
  let value: string | null = null;
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const key = rawHeaders[index] as Buffer;
    if (key.length !== name.length || key.toString('latin1').toLowerCase() !== name) continue;
    const more = (rawHeaders[index + 1] as Buffer).toString('latin1');
    value = value === null ? more : `${value}, ${more}`;
  }
  return value;
}
