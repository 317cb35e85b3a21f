import * as fc from 'fast-check';
import { JsonDepthError, JsonSyntaxError, MAX_JSON_DEPTH, readJsonText } from './json-text.js';

function faultOf(text: string): unknown {
  try {
    readJsonText(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return [error.reason, error.offset];
    throw error;
  }
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('readJsonText', () => {
  describe('agrees with JSON.parse', () => {
    it('on the value of every JSON text', () => {
      fc.assert(
        fc.property(fc.json({ stringUnit: 'binary' }), fc.constantFrom(undefined, 1, '\t'), (json, space) => {
          const text = JSON.stringify(JSON.parse(json), null, space);
          expect(readJsonText(text)).toEqual(JSON.parse(text));
        }),
      );
    });

    it('on what is no JSON, when a text is damaged in one place', () => {
      const piece = fc.constantFrom(
        '',
        '"',
        '\\',
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '0',
        '-',
        '.',
        'e',
        ' ',
        '\n',
        'x',
        '\u0001',
      );
      fc.assert(
        fc.property(fc.json(), fc.nat(), fc.nat(2), piece, (json, place, dropped, inserted) => {
          const at = place % (json.length + 1);
          const text = json.slice(0, at) + inserted + json.slice(at + dropped);
          expect(faultOf(text) === undefined).toBe(isJson(text));
        }),
        { numRuns: 1000 },
      );
    });

    it.each([
      ['white space on both sides', ' \t\n\r{"a":1} \t\n\r'],
      ['every escape', '"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00"'],
      ['a lone surrogate', '"\\ud800"'],
      ['every form of a number', '[0,-0,1.5,-1.5e+3,1E-2,1e400,12345678901234567890]'],
      ['a repeated key: the last value at the first place', '{"a":1,"b":2,"a":3}'],
    ])('on %s', (_, text) => {
      expect(readJsonText(text)).toEqual(JSON.parse(text));
      expect(JSON.stringify(readJsonText(text))).toBe(JSON.stringify(JSON.parse(text)));
    });

    it('on __proto__, which is an ordinary own property', () => {
      const value = readJsonText('{"__proto__":{"admin":true}}') as object;
      expect(Object.getOwnPropertyNames(value)).toEqual(['__proto__']);
      expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
      expect('admin' in value).toBe(false);
    });
  });

  describe("says where and why a text is broken, in the words and at the place of Python's reader", () => {
    it.each([
      ['raw truncated', '{"rollout_id":', 'Expecting value', 14],
      ['raw trailing comma', '{"a":1,}', 'Expecting property name enclosed in double quotes', 7],
      ['raw two objects', '{}{}', 'Extra data', 2],
    ])('as recorded for a request body: %s', (_vector, text, reason, offset) => {
      expect(faultOf(text)).toEqual([reason, offset]);
    });

    it.each([
      ['', 'Expecting value', 0],
      ['  ', 'Expecting value', 2],
      ['\ufeff{}', 'Expecting value', 0],
      ["{'a':1}", 'Expecting property name enclosed in double quotes', 1],
      ['{"a" 1}', "Expecting ':' delimiter", 5],
      ['{"a":1 "b":2}', "Expecting ',' delimiter", 7],
      ['[1 2]', "Expecting ',' delimiter", 3],
      ['[1,]', 'Expecting value', 3],
      ['[', 'Expecting value', 1],
      ['[1', "Expecting ',' delimiter", 2],
      ['True', 'Expecting value', 0],
      ['nul', 'Expecting value', 0],
      ['-', 'Expecting value', 0],
      ['01', 'Extra data', 1],
      ['1.', 'Extra data', 1],
      ['{"a": "cut', 'Unterminated string starting at', 6],
      ['"cut\\', 'Unterminated string starting at', 0],
      ['"a\nb"', 'Invalid control character at', 2],
      ['"a\\qb"', 'Invalid \\escape', 2],
      ['"a\\u12g4"', 'Invalid \\uXXXX escape', 3],
      ['"cut \\u00e', 'Invalid \\uXXXX escape', 6],
      ['"cut \\u00e9', 'Invalid \\uXXXX escape', 6],
      ['"cut \\u00e9 ', 'Unterminated string starting at', 0],
      ['["😀" x]', "Expecting ',' delimiter", 6],
    ])('%j', (text, reason, offset) => {
      expect(faultOf(text)).toEqual([reason, offset]);
    });

    it('in one sentence', () => {
      expect(() => readJsonText('{}{}')).toThrow('Extra data at position 2');
    });
  });

  describe('TC-09: NaN and Infinity', () => {
    it.each(['NaN', 'Infinity', '-Infinity', '[1, NaN]'])('%s is no JSON', (text) => {
      expect(() => readJsonText(text)).toThrow(JsonSyntaxError);
    });

    it('are numbers when asked for', () => {
      expect(readJsonText('[NaN, Infinity, -Infinity, -1]', { nonFinite: true })).toEqual([
        NaN,
        Infinity,
        -Infinity,
        -1,
      ]);
      expect(() => readJsonText('nan', { nonFinite: true })).toThrow(JsonSyntaxError);
    });
  });

  it('hands the source of every number to whoever wants to tell 5 from 5.0', () => {
    const number = (source: string): string => `<${source}>`;
    expect(readJsonText('{"a":5,"b":[5.0,-1E2]}', { number })).toEqual({ a: '<5>', b: ['<5.0>', '<-1E2>'] });
  });

  describe('depth', () => {
    const lists = (depth: number, core: string): string => '['.repeat(depth) + core + ']'.repeat(depth);
    const objects = (depth: number): string => '{"a":'.repeat(depth) + '1' + '}'.repeat(depth);

    it.each([lists(MAX_JSON_DEPTH, ''), lists(MAX_JSON_DEPTH, '1'), objects(MAX_JSON_DEPTH)])(
      'reads the deepest text that is allowed, case %#',
      (text) => {
        expect(readJsonText(text)).toEqual(JSON.parse(text));
      },
    );

    it.each([lists(MAX_JSON_DEPTH + 1, ''), lists(MAX_JSON_DEPTH + 1, '1'), objects(MAX_JSON_DEPTH + 1)])(
      'refuses one level more, case %#',
      (text) => {
        expect(() => readJsonText(text)).toThrow(new JsonDepthError('JSON is nested deeper than 990 levels'));
      },
    );

    it('refuses endless nesting without overflowing the stack', () => {
      expect(() => readJsonText('['.repeat(1_000_000))).toThrow(JsonDepthError);
    });

    it('counts levels, not brackets', () => {
      const wide = `[${Array.from({ length: 2 * MAX_JSON_DEPTH }, () => '[]').join(',')}]`;
      expect(readJsonText(wide)).toHaveLength(2 * MAX_JSON_DEPTH);
    });
  });
});
