const BLANK = '[secret]';

/** A copy in which every `api_key`, however deep, is blanked: keys stand in no output, log or report (case AU-05). */
export function blankKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(blankKeys);
  if (typeof value !== 'object' || value === null) return value;
  return blankFields(value);
}

export function blankFields(fields: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, field]: [string, unknown]) => [
      key,
      key === 'api_key' && typeof field === 'string' ? BLANK : blankKeys(field),
    ]),
  );
}
