import { rustTrim } from './wire-text.js';

/** A value that passed, or the `type` and `msg` of the fault. */
export type Checked<Value> = { readonly value: Value } | { readonly type: string; readonly msg: string };

const INT_TEXT = /^[+-]?\d+(?:_\d+)*(?:\.0+)?$/;
const FLOAT_TEXT = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const MISPLACED_UNDERSCORE = /^_|__|_$/;
const FLOAT_WORD = /^([+-]?)(inf(?:inity)?|nan)$/i;
const BOOL_WORDS: ReadonlyMap<string, boolean> = new Map([
  ...['true', 't', 'yes', 'y', 'on', '1'].map((word) => [word, true] as const),
  ...['false', 'f', 'no', 'n', 'off', '0'].map((word) => [word, false] as const),
]);

/** Python's longest integer text. */
const MAX_INT_DIGITS = 4300;
/** From here on a float no longer converts to an integer, while an integer literal of any size is one. */
const INT64_END = 2 ** 63;

const INT_TYPE = { type: 'int_type', msg: 'Input should be a valid integer' };
const INT_PARSING = {
  type: 'int_parsing',
  msg: 'Input should be a valid integer, unable to parse string as an integer',
};
const INT_FROM_FLOAT = {
  type: 'int_from_float',
  msg: 'Input should be a valid integer, got a number with a fractional part',
};
const INT_SIZE = {
  type: 'int_parsing_size',
  msg: 'Unable to parse input string as an integer, exceeded maximum size',
};
const NOT_FINITE = { type: 'finite_number', msg: 'Input should be a finite number' };
const FLOAT_TYPE = { type: 'float_type', msg: 'Input should be a valid number' };
const FLOAT_PARSING = {
  type: 'float_parsing',
  msg: 'Input should be a valid number, unable to parse string as a number',
};
const BOOL_TYPE = { type: 'bool_type', msg: 'Input should be a valid boolean' };
const BOOL_PARSING = {
  type: 'bool_parsing',
  msg: 'Input should be a valid boolean, unable to interpret input',
};

/**
 * An integer as the reference's lax mode takes it (spec 1.2): integers, floats without fraction, booleans, and their
 * texts. An integer beyond 2^53 − 1 becomes the nearest safe one, because a JavaScript number cannot hold it.
 *
 * @param source gives the text of the number in the body. It is asked for only when the value alone cannot tell: a huge
 *   integer literal is an integer, the same value as a float is none.
 */
export function laxInt(input: unknown, source?: () => string | undefined): Checked<number> {
  if (typeof input === 'number') {
    // Adding 0 turns -0 into 0.
    if (Number.isSafeInteger(input)) return { value: input + 0 };
    return unsafeInt(input, source);
  }
  if (typeof input === 'boolean') return { value: input ? 1 : 0 };
  if (typeof input === 'string') return intText(input);
  return INT_TYPE;
}

function unsafeInt(input: number, source?: () => string | undefined): Checked<number> {
  if (Number.isFinite(input) && !Number.isInteger(input)) return INT_FROM_FLOAT;
  if (Math.abs(input) < INT64_END) return { value: saturate(input) };
  if (isIntLiteral(source?.())) return { value: saturate(input) };
  return Number.isFinite(input) ? INT_SIZE : NOT_FINITE;
}

function isIntLiteral(source: string | undefined): boolean {
  return source !== undefined && /^-?\d+$/.test(source);
}

function intText(input: string): Checked<number> {
  const text = rustTrim(input);
  if (!INT_TEXT.test(text)) return INT_PARSING;
  const whole = text
    .replace(/\.0+$/, '')
    .replaceAll('_', '')
    .replace(/^\+?0*/, '');
  return whole.length > MAX_INT_DIGITS ? INT_SIZE : { value: saturate(Number(whole)) };
}

function saturate(value: number): number {
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER) + 0;
}

/** A float as the reference's lax mode takes it: numbers, booleans, and texts such as `1e3`, `1_0`, `nan`, `-inf`. */
export function laxFloat(input: unknown): Checked<number> {
  if (typeof input === 'number') return { value: input };
  if (typeof input === 'boolean') return { value: input ? 1 : 0 };
  if (typeof input !== 'string') return FLOAT_TYPE;
  const trimmed = rustTrim(input);
  const text = MISPLACED_UNDERSCORE.test(trimmed) ? trimmed : trimmed.replaceAll('_', '');
  if (FLOAT_TEXT.test(text)) return { value: Number(text) };
  const word = FLOAT_WORD.exec(text);
  if (!word) return FLOAT_PARSING;
  if (word[2]?.toLowerCase() === 'nan') return { value: NaN };
  return { value: word[1] === '-' ? -Infinity : Infinity };
}

/** A boolean as the reference's lax mode takes it: booleans, 0 and 1, and words such as `yes`, `off`. */
export function laxBool(input: unknown): Checked<boolean> {
  if (typeof input === 'boolean') return { value: input };
  if (typeof input === 'number') {
    if (input === 0 || input === 1) return { value: input === 1 };
    return Number.isInteger(input) && Math.abs(input) < INT64_END ? BOOL_PARSING : BOOL_TYPE;
  }
  if (typeof input !== 'string') return BOOL_TYPE;
  const value = BOOL_WORDS.get(input.toLowerCase());
  return value === undefined ? BOOL_PARSING : { value };
}
