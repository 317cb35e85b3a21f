import type { Secret } from '#domain';

/** Characters of a peer's body that an error text shows at most (case NT-05). */
export const EXCERPT_CHARACTERS = 200;
/** Enough of a body to cut the excerpt from, whatever white space it begins with. */
const EXCERPT_SOURCE_BYTES = 64 * 1024;

/** `POST` and the address, without credentials and query: those may hold secrets. */
export function postLabel(url: URL): string {
  return `POST ${addressOf(url)}`;
}

export function addressOf(url: URL): string {
  return `${url.origin}${url.pathname}`;
}

/** Blots the secret out, should a peer have echoed it (case AU-05). */
export function withoutSecret(text: string, secret: Secret | null | undefined): string {
  return secret ? text.replaceAll(secret.reveal(), '[secret]') : text;
}

/** The beginning of a peer's text in one line, without the secret. */
export function excerptOf(text: string | Buffer, secret: Secret | null | undefined): string {
  const source = typeof text === 'string' ? text : text.subarray(0, EXCERPT_SOURCE_BYTES).toString();
  const line = withoutSecret(source, secret)
    // eslint-disable-next-line no-control-regex
    .replace(/[\s\u0000-\u001f\u007f]+/g, ' ')
    .trim();
  return line.length > EXCERPT_CHARACTERS ? `${line.slice(0, EXCERPT_CHARACTERS - 1)}…` : line;
}

/** `2 s`, `0.25 s`. */
export function secondsText(milliseconds: number): string {
  return `${milliseconds / 1000} s`;
}
