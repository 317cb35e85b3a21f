/**
 * The request's `ground_truth`, as the text that rewards compare with. Numbers, booleans, lists and objects become their
 * JSON text; null and a missing field mean that there is nothing to compare with (cases RW-07, DS-14).
 */
export function groundTruthOf(metadata: Readonly<Record<string, unknown>>): string | undefined {
  const value = metadata['ground_truth'];
  if (value === undefined || value === null) return undefined;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
