import { isObject } from './rollout-json.js';

const LONGEST_EXCERPT = 500;

/** Undefined for what is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `{"detail": …}` of our routes (spec 1.7): a text, or a list of what is wrong. Nest's own errors have a `message`. */
export function detailOf(answer: unknown): string | undefined {
  if (!isObject(answer)) return undefined;
  const { detail, message } = answer;
  if (typeof detail === 'string') return detail;
  if (Array.isArray(detail)) {
    const faults = detail.flatMap((fault: unknown) =>
      isObject(fault) && typeof fault['msg'] === 'string' ? fault['msg'] : [],
    );
    return faults.join('; ');
  }
  return typeof message === 'string' ? message : undefined;
}

/** Other 404s are of routes that are not there. */
export function isAboutRollout(detail: string): boolean {
  return /\brollout\b/i.test(detail) && !/^Cannot (GET|POST) /.test(detail);
}

/** The beginning of an answer, for an error text. */
export function excerpt(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > LONGEST_EXCERPT ? `${line.slice(0, LONGEST_EXCERPT)}…` : line;
}
