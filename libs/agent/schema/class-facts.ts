import { isScalar, type JsonType, type RuleFacts } from './class-rules.js';
import { InputDefinitionError } from './input-definition.error.js';

/** Two rules with the same bound: the tighter one counts. */
const TIGHTER: ReadonlyMap<string, (one: number, other: number) => number> = new Map([
  ...['minimum', 'exclusiveMinimum', 'minLength', 'minItems'].map((keyword) => [keyword, Math.max] as const),
  ...['maximum', 'exclusiveMaximum', 'maxLength', 'maxItems'].map((keyword) => [keyword, Math.min] as const),
]);

/**
 * All that several rules say of one value, as one JSON Schema.
 *
 * @param where `Class.property`, for the error
 * @throws InputDefinitionError when no value could satisfy them
 */
export function schemaOfFacts(facts: readonly RuleFacts[], where: string): Record<string, unknown> {
  const types = facts.reduce<readonly JsonType[] | undefined>((so, one) => commonTypes(so, one.types), undefined);
  const forbidden = new Set(facts.flatMap((one) => one.forbids ?? []));
  const allowed = facts
    .reduce<readonly unknown[] | undefined>(
      (so, { allows }) => (so && allows ? common(so, allows) : (allows ?? so)),
      undefined,
    )
    ?.filter((value) => admits(types, value) && !forbidden.has(value));
  if (types?.length === 0 || allowed?.length === 0) {
    const cure = 'Drop one of them; a property has one type, and some value must be left';
    throw new InputDefinitionError(`the rules of ${where} contradict each other: no value satisfies all`, cure);
  }
  const schema: Record<string, unknown> = {};
  setType(schema, allowed ? typesOfValues(allowed) : types);
  if (allowed) schema['enum'] = allowed;
  for (const one of facts)
    for (const [key, value] of Object.entries(one.keywords ?? {})) addKeyword(schema, key, value);
  if (!allowed) addForbidden(schema, types, forbidden);
  return schema;
}

function setType(schema: Record<string, unknown>, types: readonly JsonType[] | undefined): void {
  if (types) schema['type'] = types.length === 1 ? types[0] : types;
}

function addKeyword(schema: Record<string, unknown>, keyword: string, value: unknown): void {
  const before = schema[keyword];
  const tighter = TIGHTER.get(keyword);
  if (before === undefined || before === value) schema[keyword] = value;
  else if (tighter && typeof before === 'number' && typeof value === 'number') schema[keyword] = tighter(before, value);
  else schema['allOf'] = [...((schema['allOf'] as readonly unknown[] | undefined) ?? []), { [keyword]: value }];
}

/** Only what the type leaves possible is worth saying; of texts, "not empty" is said as a length. */
function addForbidden(
  schema: Record<string, unknown>,
  types: readonly JsonType[] | undefined,
  forbidden: ReadonlySet<unknown>,
): void {
  const possible = [...forbidden].filter((value) => admits(types, value));
  const isText = types?.length === 1 && types[0] === 'string';
  if (isText && forbidden.has('')) addKeyword(schema, 'minLength', 1);
  const named = possible.filter((value) => !(isText && value === ''));
  if (named.length > 0) schema['not'] = { enum: named };
}

function common(one: readonly unknown[], other: readonly unknown[]): readonly unknown[] {
  return one.filter((value) => other.includes(value));
}

/** An integer is a number: "number" next to "integer" leaves "integer". Undefined stands for every type. */
function commonTypes(
  one: readonly JsonType[] | undefined,
  other: readonly JsonType[] | undefined,
): readonly JsonType[] | undefined {
  if (!one || !other) return one ?? other;
  const narrow = (some: readonly JsonType[], rest: readonly JsonType[]): JsonType[] =>
    some.filter((type) => rest.includes(type) || (type === 'integer' && rest.includes('number')));
  return [...new Set([...narrow(one, other), ...narrow(other, one)])];
}

function admits(types: readonly JsonType[] | undefined, value: unknown): boolean {
  const type = typeOfValue(value);
  return !types || types.includes(type) || (type === 'integer' && types.includes('number'));
}

function typesOfValues(values: readonly unknown[]): readonly JsonType[] {
  const types = new Set(values.map(typeOfValue));
  if (types.has('number')) types.delete('integer');
  return [...types];
}

function typeOfValue(value: unknown): JsonType {
  if (!isScalar(value)) return 'object';
  if (value === null) return 'null';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'string' ? 'string' : 'boolean';
}
