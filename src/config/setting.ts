/** One variable that configures the program: plain data, and how its text is read. */
export interface Setting<Value = unknown> {
  readonly description: string;
  /** As documented: `integer`, `number`, `text`. */
  readonly type: string;
  /** What a value must be, for error texts: `a whole number from 0 to 10`. */
  readonly rule: string;
  readonly min?: number;
  readonly max?: number;
  readonly default: Value;
  /** As documented and shown. */
  readonly defaultText: string;
  readonly secret: boolean;
  /** Command-line option that sets the same. */
  readonly flag?: string;
  /** Reads the text; undefined when it breaks the rule. */
  parse(text: string): Value | undefined;
}

export type ValueOf<Declared> = Declared extends Setting<infer Value> ? Value : never;

interface Common {
  readonly description: string;
  readonly flag?: string;
}

interface Bounds extends Common {
  /** Inclusive. */
  readonly min: number;
  readonly max: number;
}

/** A number, read as laxly as the reference does: `5`, `5.0`, `1e1`, never NaN, infinity or an empty text (spec 7). */
export function number(options: Bounds & { readonly default: number }): Setting<number> {
  return {
    ...options,
    type: 'number',
    rule: `a number from ${options.min} to ${options.max}`,
    defaultText: String(options.default),
    secret: false,
    parse: (text) => inBounds(readNumber(text), options),
  };
}

/** A whole number; `5.0` is one, `5.5` and `1e1` are none. */
export function integer(options: Bounds & { readonly default: number }): Setting<number> {
  return { ...wholeNumber(options), default: options.default, defaultText: String(options.default) };
}

/** A whole number that need not be there. */
export function optionalInteger(options: Bounds & { readonly otherwise: string }): Setting<number | undefined> {
  const { otherwise, ...rest } = options;
  return { ...wholeNumber(rest), default: undefined, defaultText: otherwise };
}

/** Text that need not be there. Blank counts as absent. */
export function text(
  options: Common & { readonly otherwise?: string; readonly secret?: boolean },
): Setting<string | undefined> {
  const { otherwise = 'none', secret = false, ...rest } = options;
  return {
    ...rest,
    type: 'text',
    rule: 'text',
    default: undefined,
    defaultText: otherwise,
    secret,
    parse: (value) => value.trim(),
  };
}

export function textWithDefault(options: Common & { readonly default: string }): Setting<string> {
  return { ...text(options), default: options.default, defaultText: options.default, parse: (value) => value.trim() };
}

/** One of a few words. */
export function choice<const Word extends string>(
  options: Common & { readonly choices: readonly Word[]; readonly default: Word },
): Setting<Word> {
  const { choices, ...rest } = options;
  return {
    ...rest,
    type: choices.join(' | '),
    rule: choices.join(' or '),
    defaultText: options.default,
    secret: false,
    parse: (value) => choices.find((word) => word === value.trim().toLowerCase()),
  };
}

/** An http or https base URL. */
export function url(options: Common & { readonly default: string }): Setting<string> {
  return {
    ...options,
    type: 'URL',
    rule: 'an http or https URL',
    defaultText: options.default,
    secret: false,
    parse: (value) => (isHttpUrl(value.trim()) ? value.trim() : undefined),
  };
}

function wholeNumber(options: Bounds) {
  return {
    ...options,
    type: 'integer',
    rule: `a whole number from ${options.min} to ${options.max}`,
    secret: false,
    parse: (value: string) => inBounds(/^\s*[+-]?\d+(\.0+)?\s*$/.test(value) ? Number(value) : undefined, options),
  };
}

function readNumber(value: string): number | undefined {
  const number = /^\s*[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?\s*$/i.test(value) ? Number(value) : NaN;
  return Number.isFinite(number) ? number : undefined;
}

function inBounds(value: number | undefined, { min, max }: Bounds): number | undefined {
  return value !== undefined && value >= min && value <= max ? value : undefined;
}

/** Without a scheme it may be one as well: `libs/auth` completes it. */
function isHttpUrl(value: string): boolean {
  return URL.canParse(value)
    ? /^https?:$/.test(new URL(value).protocol) || !value.includes('://')
    : URL.canParse(`https://${value}`);
}
