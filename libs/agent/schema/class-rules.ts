import type * as Rules from 'class-validator';
import type { JsonSchema } from '#domain';
import { textRules } from './text-rules.js';
import { classValidator } from './validator-packages.js';

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'array' | 'object' | 'null';

/** What one validation rule says of a value, in the terms of JSON Schema. Every part is optional. */
export interface RuleFacts {
  /** The value is of one of these types. */
  readonly types?: readonly JsonType[];
  /** The value is one of these. */
  readonly allows?: readonly unknown[];
  /** The value is none of these. */
  readonly forbids?: readonly unknown[];
  /** Further keywords. */
  readonly keywords?: JsonSchema;
  /** True when the facts say all that the rule says; else class-validator has to be asked as well. */
  readonly exact: boolean;
}

type RuleReader = (constraints: readonly unknown[]) => RuleFacts;

/** A rule that only class-validator understands. */
export const UNKNOWN_RULE: RuleFacts = { exact: false };

const text = (keywords?: JsonSchema, exact = false): RuleFacts => ({ types: ['string'], keywords, exact });
const numeric = (keywords: JsonSchema): RuleFacts => ({ types: ['number'], keywords, exact: true });
const list = (keywords?: JsonSchema, exact = true): RuleFacts => ({ types: ['array'], keywords, exact });

/** A keyword whose value is the rule's first constraint, which must be a number to mean anything. */
const bound =
  (facts: (keywords: JsonSchema) => RuleFacts, keyword: string): RuleReader =>
  ([limit]) =>
    typeof limit === 'number' ? facts({ [keyword]: limit }) : UNKNOWN_RULE;

const exactText = (keywords: JsonSchema): RuleFacts => text(keywords, true);

/**
 * The rules of class-validator, by their names. Lengths count code points, as JSON Schema has it. A format is told to
 * the model but not trusted: the `email` of JSON Schema is not the one of class-validator.
 */
const readersOf = (rule: typeof Rules): ReadonlyMap<string, RuleReader> =>
  new Map<string, RuleReader>([
    [rule.IS_STRING, () => text(undefined, true)],
    [rule.IS_BOOLEAN, () => ({ types: ['boolean'], exact: true })],
    [rule.IS_INT, () => ({ types: ['integer'], exact: true })],
    [rule.IS_NUMBER, ([options]) => numberFacts(options)],
    [rule.IS_ARRAY, () => list()],
    [rule.IS_OBJECT, () => ({ types: ['object'], exact: true })],
    [rule.IS_NOT_EMPTY_OBJECT, () => ({ types: ['object'], keywords: { minProperties: 1 }, exact: false })],
    [rule.IS_DATE, () => text({ format: 'date-time' }, true)],
    [rule.MIN_DATE, () => text({ format: 'date-time' })],
    [rule.MAX_DATE, () => text({ format: 'date-time' })],

    [rule.MIN, bound(numeric, 'minimum')],
    [rule.MAX, bound(numeric, 'maximum')],
    [rule.IS_POSITIVE, () => numeric({ exclusiveMinimum: 0 })],
    [rule.IS_NEGATIVE, () => numeric({ exclusiveMaximum: 0 })],
    [rule.IS_DIVISIBLE_BY, bound(numeric, 'multipleOf')],

    [rule.IS_LENGTH, ([min, max]) => lengthFacts(min, max)],
    [rule.MIN_LENGTH, bound(exactText, 'minLength')],
    [rule.MAX_LENGTH, bound(exactText, 'maxLength')],
    [rule.MATCHES, ([pattern, flags]) => patternFacts(pattern, flags)],
    [rule.IS_EMAIL, () => text({ format: 'email' })],
    [rule.IS_URL, () => text({ format: 'uri' })],
    [rule.IS_UUID, () => text({ format: 'uuid' })],
    [rule.IS_DATE_STRING, () => text({ format: 'date-time' })],
    [rule.IS_ISO8601, () => text({ format: 'date-time' })],
    [rule.IS_RFC_3339, () => text({ format: 'date-time' })],
    [rule.IS_IP, ([version]) => text(ipFormat(version))],

    [rule.ARRAY_MIN_SIZE, bound(list, 'minItems')],
    [rule.ARRAY_MAX_SIZE, bound(list, 'maxItems')],
    [rule.ARRAY_NOT_EMPTY, () => list({ minItems: 1 })],
    // Whether it compares by an identifier function cannot be seen from here.
    [rule.ARRAY_UNIQUE, () => list({ uniqueItems: true }, false)],
    [rule.ARRAY_CONTAINS, () => list(undefined, false)],
    [rule.ARRAY_NOT_CONTAINS, () => list(undefined, false)],

    [rule.IS_IN, ([values]) => valueFacts('allows', values)],
    [rule.IS_ENUM, ([entity]) => valueFacts('allows', enumValues(entity))],
    [rule.EQUALS, (constraints) => valueFacts('allows', constraints)],
    [rule.IS_NOT_IN, ([values]) => valueFacts('forbids', values)],
    [rule.NOT_EQUALS, (constraints) => valueFacts('forbids', constraints)],
    [rule.IS_NOT_EMPTY, () => ({ forbids: ['', null], exact: true })],
    [rule.IS_DEFINED, () => ({ forbids: [null], exact: true })],
  ]);

let readers: ReadonlyMap<string, RuleReader> | undefined;
let texts: ReadonlySet<string> | undefined;

/** What a rule of this name and these constraints says. */
export function readRule(name: string | undefined, constraints: readonly unknown[]): RuleFacts {
  if (name === undefined) return UNKNOWN_RULE;
  readers ??= readersOf(classValidator());
  const reader = readers.get(name);
  if (reader) return reader(constraints);
  texts ??= textRules(classValidator());
  return texts.has(name) ? text() : UNKNOWN_RULE;
}

/** What a list of values (from `@ApiProperty({ enum })`, say) allows or forbids. */
export function valueFacts(part: 'allows' | 'forbids', values: unknown): RuleFacts {
  // The rules compare by identity, so only values without one of their own can be written down.
  if (!Array.isArray(values) || !values.every(isScalar)) return UNKNOWN_RULE;
  return { [part]: values, exact: true };
}

export function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value);
}

function numberFacts(options: unknown): RuleFacts {
  const { maxDecimalPlaces: places } = (options ?? {}) as { readonly maxDecimalPlaces?: unknown };
  if (typeof places !== 'number') return { types: ['number'], exact: true };
  return places === 0 ? { types: ['integer'], exact: true } : numeric({ multipleOf: Number(`1e-${places}`) });
}

function lengthFacts(min: unknown, max: unknown): RuleFacts {
  if (typeof min !== 'number') return text();
  return exactText(typeof max === 'number' ? { minLength: min, maxLength: max } : { minLength: min });
}

function ipFormat(version: unknown): JsonSchema | undefined {
  if (version === 4 || version === '4') return { format: 'ipv4' };
  return version === 6 || version === '6' ? { format: 'ipv6' } : undefined;
}

/** JSON Schema knows no flags: a pattern whose meaning hangs on one stays unsaid, and class-validator checks it. */
function patternFacts(pattern: unknown, modifiers: unknown): RuleFacts {
  if (!(pattern instanceof RegExp) && typeof pattern !== 'string') return text();
  const source = pattern instanceof RegExp ? pattern.source : pattern;
  const flags = pattern instanceof RegExp ? pattern.flags : typeof modifiers === 'string' ? modifiers : '';
  if (/[imsy]/.test(flags)) return text();
  return text({ pattern: source }, flags === '');
}

/** Values of a TypeScript enum: without the names that a numeric enum also maps its numbers back to. */
function enumValues(entity: unknown): readonly unknown[] | undefined {
  if (typeof entity !== 'object' || entity === null) return undefined;
  const members = entity as Readonly<Record<string, unknown>>;
  const isReverse = (key: string, value: unknown): boolean =>
    typeof value === 'string' && members[value] === Number(key);
  const values = Object.entries(members).filter(([key, value]) => !isReverse(key, value));
  return [...new Set(values.map(([, value]) => value))];
}
