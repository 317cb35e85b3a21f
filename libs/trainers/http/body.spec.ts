import { MAX_JSON_DEPTH, OsmosisError } from '#domain';
import { parseBody } from './body.js';
import { InvalidRequestError } from './request-fault.js';

const JSON_TYPE = 'application/json';

/** The fields, the faults of a 422, or the status of another refusal. */
function read(raw: string | Buffer, contentType: string | undefined = JSON_TYPE): unknown {
  try {
    return parseBody(Buffer.from(raw as string), contentType).fields;
  } catch (error) {
    if (error instanceof InvalidRequestError) return error.faults.map(({ type, loc }) => [type, ...loc]);
    if (OsmosisError.is(error)) return error.httpStatus;
    throw error;
  }
}

describe('parseBody (spec 1.7)', () => {
  it.each([
    undefined,
    '',
    'application/json',
    'APPLICATION/JSON; charset=latin-1',
    ' application/json ;x',
    'application/problem+json',
    'application/+json',
  ])('takes the content type %j as JSON', (type) => {
    expect(read('{"a":1}', type)).toEqual({ a: 1 });
  });

  it.each(['text/plain', 'text/json', 'application/jsonx', 'application/x/y+json', 'json', '*/*'])(
    'does not take the content type %j as JSON',
    (type) => {
      expect(read('{"a":1}', type)).toEqual([['model_attributes_type', 'body']]);
    },
  );

  it('wants a body, and an object in it', () => {
    expect(read('')).toEqual([['missing', 'body']]);
    expect(read('', 'text/plain')).toEqual([['missing', 'body']]);
    expect(read('null')).toEqual([['missing', 'body']]);
    for (const other of ['[]', '"x"', '5', 'true', 'NaN'])
      expect(read(other)).toEqual([['model_attributes_type', 'body']]);
  });

  it.each([
    ['{"rollout_id":', 14],
    ['{"a":1,}', 7],
    ['{}{}', 2],
    ['{"é😀":1,}', 8],
    ['{"a":"\n"}', 6],
    ['{"é": "\\u00e9', 8],
    ['{\u0000}', 1],
    ['\u0000{}', 0],
  ])('says where %j is broken, in characters', (text, offset) => {
    expect(read(text)).toEqual([['json_invalid', 'body', offset]]);
  });

  it('takes the literals that Python writes, and the last of two equal keys', () => {
    expect(read('{"a":NaN,"b":-Infinity,"c":1,"c":2}')).toEqual({ a: NaN, b: -Infinity, c: 2 });
  });

  it('keeps __proto__ an ordinary key', () => {
    const fields = read('{"__proto__":{"x":1},"n":NaN}');
    expect(Object.keys(fields as object)).toEqual(['__proto__', 'n']);
    expect((fields as { x?: unknown }).x).toBeUndefined();
  });

  it.each(['utf16le', 'utf16be', 'utf32le', 'utf32be'] as const)(
    'reads %s, with and without a byte order mark',
    (encoding) => {
      const text = '{"a":"é😀"}';
      expect(read(encode(text, encoding))).toEqual({ a: 'é😀' });
      expect(read(encode(`\ufeff${text}`, encoding))).toEqual({ a: 'é😀' });
    },
  );

  it('reads UTF-8 with a byte order mark', () => {
    expect(read('\ufeff{"a":"é"}')).toEqual({ a: 'é' });
  });

  it('answers 400 for bytes that are no text', () => {
    for (const bytes of [
      [0x7b, 0xff, 0x7d],
      [0x22, 0xc3],
      [0xff, 0xfe, 0x7b],
      [0, 0, 0, 1, 0],
    ]) {
      expect(read(Buffer.from(bytes))).toBe(400);
    }
    const beyondUnicode = Buffer.from([0xff, 0xfe, 0, 0, 0, 0, 0x11, 0]);
    expect(read(beyondUnicode)).toBe(400);
  });

  describe('LC-23: nesting', () => {
    const nested = (depth: number): string => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

    it('is refused beyond the limit, open or closed, and for NaN as well', () => {
      expect(read(nested(MAX_JSON_DEPTH))).toHaveProperty('a');
      expect(read(nested(MAX_JSON_DEPTH + 1))).toBe(400);
      expect(read('['.repeat(100_000))).toBe(400);
      expect(read('{"a":'.repeat(5000))).toBe(400);
      expect(read(`[NaN,${'['.repeat(5000)}`)).toBe(400);
    });

    it('is not taken from brackets inside strings, or from many flat ones', () => {
      expect(read(JSON.stringify({ a: '["\\'.repeat(3000) }))).toHaveProperty('a');
      expect(read(JSON.stringify({ a: Array.from({ length: 3000 }, () => [{}]) }))).toHaveProperty('a');
    });
  });
});

function encode(text: string, encoding: 'utf16le' | 'utf16be' | 'utf32le' | 'utf32be'): Buffer {
  if (encoding === 'utf16le') return Buffer.from(text, 'utf16le');
  if (encoding === 'utf16be') return Buffer.from(text, 'utf16le').swap16();
  const units = Buffer.alloc([...text].length * 4);
  [...text].forEach((character, index) => units.writeUInt32LE(character.codePointAt(0) ?? 0, index * 4));
  return encoding === 'utf32le' ? units : units.swap32();
}
