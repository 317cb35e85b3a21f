import type { OptionForm, OptionValue } from './declaration.js';

export type Checked<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly message: string };

const WHOLE_NUMBER = /^[+-]?\d+$/;
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** Reads one value of an option as its declaration wants it. The message says what is wrong and what would be right. */
export function readOptionValue({ declaration, long }: OptionForm, text: string): Checked<string | number> {
  const { choices, integer, number } = declaration;
  if (choices && !choices.includes(text)) {
    return wrong(`--${long} cannot be '${text}'. Choose one of: ${choices.join(', ')}.`);
  }
  const bounds = integer ?? number;
  if (!bounds) return { ok: true, value: text };
  const value = (integer ? WHOLE_NUMBER : NUMBER).test(text) ? Number(text) : NaN;
  const { min = -Infinity, max = Infinity } = bounds;
  if (Number.isFinite(value) && value >= min && value <= max) return { ok: true, value };
  const limits = [min > -Infinity && `from ${min}`, max < Infinity && `to ${max}`].filter(Boolean);
  const wanted = [integer ? 'a whole number' : 'a number', ...limits].join(' ');
  return wrong(`--${long} cannot be '${text}'. Give ${wanted}.`);
}

/** What an option has when it is not given. */
export function initialValue(form: OptionForm): OptionValue | undefined {
  if (form.declaration.repeatable) return [];
  return form.value === undefined ? form.negated : undefined;
}

export function wrong(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
