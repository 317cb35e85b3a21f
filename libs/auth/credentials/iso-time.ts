const ISO_WITH_OFFSET = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d{2}:?\d{2})$/;

/**
 * An ISO-8601 time that says its UTC offset (`Z` included). Null for anything else: without an offset the same text means
 * different moments on different machines (spec G-E: naive times are refused).
 */
export function parseIsoTime(text: unknown): Date | null {
  if (typeof text !== 'string' || !ISO_WITH_OFFSET.test(text.trim())) return null;
  const normalized = text
    .trim()
    .replace(' ', 'T')
    .replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
  const time = new Date(normalized);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** Written with `+00:00`: Python before 3.11 does not read `Z`. */
export function formatIsoTime(time: Date): string {
  return time.toISOString().replace('Z', '+00:00');
}
