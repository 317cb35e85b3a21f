export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const SNIPPET_LENGTH = 200;
const LONGEST_ERROR_TEXT = 1000;

/** The beginning of a body, on one line, for an error text (case NT-05). */
export function snippet(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line === '') return '(empty body)';
  return line.length > SNIPPET_LENGTH ? `${line.slice(0, SNIPPET_LENGTH)}…` : line;
}

/**
 * What a provider's error body says, or undefined when it says nothing. Asked in this order, at the top and inside
 * `error`: `message`, `detail`, `error`, `code`; what is no text is shown as JSON (Mistral gives a list of faults).
 */
export function errorText(body: unknown): string | undefined {
  const text = find(Array.isArray(body) ? body[0] : body);
  if (text === undefined) return undefined;
  return text.length > LONGEST_ERROR_TEXT ? `${text.slice(0, LONGEST_ERROR_TEXT)}…` : text;
}

function find(body: unknown): string | undefined {
  if (typeof body === 'string') return body.trim() || undefined;
  if (!isRecord(body)) return undefined;
  if (isRecord(body.error)) {
    const inner = find(body.error);
    if (inner !== undefined) return upstreamText(body.error, inner);
  }
  for (const key of ['message', 'detail', 'error', 'code']) {
    const value = body[key];
    if (typeof value === 'string' && value.trim() !== '') return value.trim();
    if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  }
  return undefined;
}

/** OpenRouter says "Provider returned error" and keeps what the provider said in `metadata.raw`. */
function upstreamText(error: Record<string, unknown>, text: string): string {
  const raw = isRecord(error.metadata) ? error.metadata.raw : undefined;
  return typeof raw === 'string' && raw.trim() !== '' ? `${text}: ${raw.trim()}` : text;
}
