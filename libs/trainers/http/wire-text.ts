/**
 * What Python calls white space in `str.strip()`. Unlike `String.prototype.trim` it has U+001C to U+001F and U+0085, and
 * has not U+FEFF (spec 1.2).
 */
const PYTHON_SPACE =
  '\\u0009-\\u000d\\u001c-\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const EDGES = new RegExp(`^[${PYTHON_SPACE}]+|[${PYTHON_SPACE}]+$`, 'g');
const UNICODE_EDGES = /^\p{White_Space}+|\p{White_Space}+$/gu;
const RUNS = new RegExp(`[${PYTHON_SPACE}]+`);
const NOT_SPACE = new RegExp(`[^${PYTHON_SPACE}]`);

/** Python's `text.strip()`. */
export function pythonStrip(text: string): string {
  return text.replace(EDGES, '');
}

/** Rust's `trim()`, which the reference applies to numbers in text: Unicode's white space, without U+001C to U+001F. */
export function rustTrim(text: string): string {
  return text.replace(UNICODE_EDGES, '');
}

/** Python's `text.split()`. */
export function pythonSplit(text: string): string[] {
  const stripped = pythonStrip(text);
  return stripped === '' ? [] : stripped.split(RUNS);
}

/** True for the empty text and for one of white space only. */
export function isBlank(text: string): boolean {
  return !NOT_SPACE.test(text);
}

/** True when a text has half a surrogate pair: it is no Unicode text and cannot be sent as UTF-8. */
export function hasLoneSurrogate(text: string): boolean {
  return /\p{Surrogate}/u.test(text);
}

/** Length in Unicode code points of the first `end` UTF-16 units, as Python counts: 256 emoji are 256 long. */
export function codePointLength(text: string, end = text.length): number {
  let length = 0;
  for (let index = 0; index < end; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0xd800 && unit < 0xdc00 && index + 1 < text.length) {
      const next = text.charCodeAt(index + 1);
      if (next >= 0xdc00 && next < 0xe000) index++;
    }
    length++;
  }
  return length;
}
