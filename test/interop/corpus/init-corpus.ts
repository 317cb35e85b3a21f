import fc from 'fast-check';
import { textOf, withFields, type BodyShape, type Fields, type InitCase } from './init-body.js';
import { bytesKinds } from './init-bytes.js';
import { ANY_TYPE, anyJson, anyObject, escapedText, IDS, NUMBER_TEXTS, NUMBERS, URLS } from './values.js';

/** Every run makes the same corpus. */
const SEED = 20_170_217;
const CASES_A_KIND = 100;

/** Bodies of all kinds for a route, always the same. */
export function bodyCorpus(shape: BodyShape): InitCase[] {
  const ofFields = Object.entries(fieldKinds(shape)).flatMap(([kind, fields]) =>
    sample(fields).map((body) => ({ kind, body: Buffer.from(textOf(body)) })),
  );
  const ofBytes = Object.entries(bytesKinds(shape)).flatMap(([kind, bytes]) =>
    sample(bytes).map((given) => ({ kind, ...given })),
  );
  return [...ofFields, ...ofBytes];
}

function sample<Value>(arbitrary: fc.Arbitrary<Value>): Value[] {
  return fc.sample(arbitrary, { seed: SEED, numRuns: CASES_A_KIND });
}

const BLANKS = [
  ' ',
  '\\t',
  '\\n',
  '\\u001c',
  '\\u0085',
  '\\u00a0',
  '\\u2003',
  '\\u3000',
  '\\ufeff',
  '\\u200b',
  '\\u180e',
];
const blankText = fc
  .array(fc.constantFrom(...BLANKS), { minLength: 1, maxLength: 4 })
  .map((units) => `"${units.join('')}"`);
const longText = fc
  .tuple(fc.constantFrom('x', 'é', '😀', '\\ud83d\\ude00', ' '), fc.integer({ min: 250, max: 258 }))
  .map(([unit, length]) => `"${unit.repeat(length - 1)}y"`);

const freeForm = fc.tuple(escapedText(4), escapedText(4)).map(([key, value]) => `{${key}: ${value}}`);
const nonFinite = fc.constantFrom(
  ...['{"a": NaN}', '[{"a": -Infinity}]', 'NaN', '{"a": 1e400}', '[{"a": [Infinity]}]', '{"NaN": 1}', '{NaN: 1}'],
);

function fieldKinds(shape: BodyShape): Readonly<Record<string, fc.Arbitrary<Fields>>> {
  const { valid, all, required, id, url, strings, numbers, objects, messages } = shape;
  const some = (names: readonly string[], maxLength = names.length): fc.Arbitrary<string[]> =>
    fc.subarray([...names], { minLength: 1, maxLength });
  /** Gives each of the fields a value of its own. */
  const changed = (names: fc.Arbitrary<readonly string[]>, value: fc.Arbitrary<string>): fc.Arbitrary<Fields> =>
    names
      .chain((chosen) => fc.tuple(...chosen.map((name) => value.map((json) => [name, json] as const))))
      .map((changes) => withFields(shape, changes));
  const one = (name: string): fc.Arbitrary<string[]> => fc.constant([name]);
  return {
    valid: validBodies(shape),
    missing: fc.tuple(some(required), some(all, 4), fc.constantFrom(...ANY_TYPE)).map(([missing, others, json]) =>
      withFields(
        shape,
        others.map((name) => [name, json]),
      ).filter(([name]) => !missing.includes(name)),
    ),
    null: changed(some(all, 4), fc.constant('null')),
    'wrong type': changed(some(all, 4), fc.oneof(fc.constantFrom(...ANY_TYPE), anyJson)),
    coercion: changed(some(numbers), fc.constantFrom(...NUMBERS, ...NUMBER_TEXTS)),
    bounds: fc.oneof(changed(one(id), fc.oneof(longText, blankText)), changed(some(strings), longText)),
    id: changed(one(id), fc.constantFrom(...IDS)),
    unicode: changed(some(strings), escapedText(6)),
    'free-form unicode': changed(some([...objects, messages]), freeForm),
    url: changed(one(url), fc.constantFrom(...URLS)),
    'duplicate keys': fc.tuple(some(all, 4), fc.constantFrom(...ANY_TYPE), fc.boolean()).map(([names, json, first]) => {
      const others: Fields = names.map((name) => [name, json]);
      return first ? [...others, ...valid] : [...valid, ...others];
    }),
    'non-finite': changed(some([...objects, messages, ...numbers]), nonFinite),
  };
}

function validBodies(shape: BodyShape): fc.Arbitrary<Fields> {
  const { id, strings, numbers, objects, messages, url } = shape;
  const texts = strings.filter((name) => name !== id && name !== url);
  return fc
    .tuple(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map((text) => text.replace(/[/\\]/g, '')),
      fc.array(anyObject, { maxLength: 3 }),
      anyObject,
      fc.integer(),
      fc.constantFrom('null', '"key"'),
    )
    .map(([text, list, object, number, word]) =>
      withFields(shape, [
        [id, JSON.stringify(`v${text}`)],
        [messages, `[${list.join(', ')}]`],
        ...objects.map((name) => [name, object] as const),
        ...numbers.map((name) => [name, String(number)] as const),
        ...texts.map((name) => [name, word] as const),
        ['unknown', object],
      ]),
    );
}
