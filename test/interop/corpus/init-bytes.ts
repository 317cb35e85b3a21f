import fc from 'fast-check';
import { textOf, withFields, type BodyShape, type InitCase } from './init-body.js';
import { ANY_TYPE, anyJson, CONTENT_TYPES, INSERTS } from './values.js';

const MEBIBYTE = 1_048_576;

type Bytes = Pick<InitCase, 'body' | 'contentType'>;

const utf8 = (text: string): Bytes => ({ body: Buffer.from(text) });

/** Kinds of bodies that are more than fields with values. */
export function bytesKinds(shape: BodyShape): Readonly<Record<string, fc.Arbitrary<Bytes>>> {
  const plain = textOf(shape.valid);
  const rich = textOf(withFields(shape, [['metadata', '{"é": ["😀", -1.5e3, true, null, "\\u00e9\\n"]}']]));
  return {
    'broken JSON': broken(rich),
    'no object': fc.oneof(fc.constantFrom(...ANY_TYPE, ...NO_OBJECTS), anyJson).map(utf8),
    encoding: fc
      .tuple(fc.constantFrom(...ENCODERS), fc.constantFrom(rich, plain, '{}', '[]', '""', '1', 'null', 'x'))
      .map(([encode, text]) => ({ body: encode(text) })),
    'bad bytes': badBytes(rich),
    'content type': fc
      .tuple(fc.constantFrom(...CONTENT_TYPES), fc.constantFrom(plain, rich, '', '[]', '{', 'null'))
      .map(([contentType, text]) => ({ body: Buffer.from(text), contentType })),
    huge: fc.oneof(
      { weight: 3, arbitrary: nested(shape) },
      { weight: 3, arbitrary: atTheLimit(shape) },
      { weight: 1, arbitrary: many(shape) },
    ),
  };
}

const NO_OBJECTS = ['', ' ', '\n', 'nul', 'NaN', '"', '1 2', '{} {}'];

/** The text with something left out, put in, or cut off. */
function broken(text: string): fc.Arbitrary<Bytes> {
  return fc
    .tuple(fc.nat(text.length - 1), fc.nat(3), fc.constantFrom(...INSERTS), fc.boolean())
    .map(([at, length, insert, cut]) => utf8(text.slice(0, at) + insert + (cut ? '' : text.slice(at + length))));
}

const ENCODERS: readonly ((text: string) => Buffer)[] = [
  (text) => Buffer.from(`\ufeff${text}`),
  (text) => Buffer.from(text, 'utf16le'),
  (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  (text) => Buffer.from(text, 'utf16le').swap16(),
  (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  (text) => utf32(text),
  (text) => utf32(text).swap32(),
  (text) => utf32(`\ufeff${text}`),
  (text) => Buffer.from(text, 'latin1'),
  (text) => Buffer.from(text).subarray(0, -1),
  (text) => Buffer.from(text, 'utf16le').subarray(0, -1),
];

function utf32(text: string): Buffer {
  const points = Array.from(text, (character) => character.codePointAt(0) ?? 0);
  const bytes = Buffer.alloc(points.length * 4);
  points.forEach((point, index) => bytes.writeUInt32LE(point, index * 4));
  return bytes;
}

const BAD_BYTES = [[0xff], [0xc3], [0xed, 0xa0, 0x80], [0xc0, 0xaf], [0xf5, 0x80, 0x80, 0x80], [0x80], [0]];

function badBytes(text: string): fc.Arbitrary<Bytes> {
  const whole = Buffer.from(text);
  return fc
    .tuple(fc.nat(whole.length), fc.constantFrom(...BAD_BYTES))
    .map(([at, bytes]) => ({ body: Buffer.concat([whole.subarray(0, at), Buffer.from(bytes), whole.subarray(at)]) }));
}

function nested(shape: BodyShape): fc.Arbitrary<Bytes> {
  return fc
    .tuple(fc.constantFrom(...shape.objects, 'unknown'), fc.integer({ min: 1, max: 900 }), fc.boolean())
    .map(([field, depth, arrays]) => {
      const [open, close] = arrays ? ['[', ']'] : ['{"a": ', '}'];
      return utf8(textOf(withFields(shape, [[field, `{"a": ${open.repeat(depth)}1${close.repeat(depth)}}`]])));
    });
}

/** Bytes of a character in Python's JSON text. */
const SIZES = { x: 1, é: 6, '😀': 12, '"': 2, '\\': 2, '\n': 2, '\u007f': 1, '\u2028': 6 } as const;

/** Metadata about as large as dialect 0.2 lets it be. */
function atTheLimit(shape: BodyShape): fc.Arbitrary<Bytes> {
  return fc
    .tuple(
      fc.constantFrom(...(Object.keys(SIZES) as (keyof typeof SIZES)[])),
      fc.integer({ min: -3, max: 3 }),
      fc.constantFrom('', ', 5.0', ', 1e22'),
    )
    .map(([unit, off, extra]) => {
      const free = MEBIBYTE - '{"d": [""]}'.length - extra.length;
      const text = unit.repeat(Math.floor(free / SIZES[unit])) + 'y'.repeat(Math.max(0, (free % SIZES[unit]) + off));
      return utf8(textOf(withFields(shape, [['metadata', `{"d": [${JSON.stringify(text)}${extra}]}`]])));
    });
}

function many(shape: BodyShape): fc.Arbitrary<Bytes> {
  return fc
    .tuple(fc.constantFrom('1', '{}', 'null', '{"role": "user"}', '"x"'), fc.integer({ min: 1000, max: 20_000 }))
    .map(([element, count]) => {
      const list = `[${new Array(count).fill(element).join(',')}]`;
      return utf8(textOf(withFields(shape, [[shape.messages, list]])));
    });
}
