import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { pythonJson, pythonNumber, pythonString, pythonTypeName } from './python-text.js';

describe('pythonNumber', () => {
  it.each([
    [0, '0'],
    [42, '42'],
    [-7, '-7'],
    [3.14, '3.14'],
    [0.1 + 0.2, '0.30000000000000004'],
    [-0, '-0.0'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1e-7, '1e-07'],
    [5e-324, '5e-324'],
    [9007199254740991, '9007199254740991'],
    [1e16, '1e+16'],
    [-1.5e300, '-1.5e+300'],
    [NaN, 'nan'],
    [Infinity, 'inf'],
    [-Infinity, '-inf'],
  ])('prints %p as %s', (value, text) => {
    expect(pythonNumber(value)).toBe(text);
  });
});

describe('pythonString', () => {
  it.each([
    ['plain', '"plain"'],
    ['a"b\\c/d', '"a\\"b\\\\c/d"'],
    ['\b\f\n\r\t', '"\\b\\f\\n\\r\\t"'],
    ['\u0000\u001f', '"\\u0000\\u001f"'],
    ['\u007f', '"\\u007f"'],
    ['é', '"\\u00e9"'],
    ['😀', '"\\ud83d\\ude00"'],
    ['\ud800', '"\\ud800"'],
  ])('escapes %j as %s', (text, literal) => {
    expect(pythonString(text)).toBe(literal);
  });
});

describe('pythonTypeName', () => {
  it.each<[unknown, string]>([
    [null, 'NoneType'],
    [undefined, 'NoneType'],
    [[], 'list'],
    [{}, 'dict'],
    ['', 'str'],
    [false, 'bool'],
    [5, 'int'],
    [5n, 'int'],
    [5.5, 'float'],
    [NaN, 'float'],
    [() => 1, 'function'],
  ])('%p is a %s', (value, name) => {
    expect(pythonTypeName(value)).toBe(name);
  });

  it('tells a float by its source text where the value cannot', () => {
    expect(pythonTypeName(5, '5')).toBe('int');
    expect(pythonTypeName(5, '5.0')).toBe('float');
    expect(pythonTypeName(500, '5e2')).toBe('float');
  });
});

describe('pythonJson', () => {
  it.each<[unknown, string]>([
    [{}, '{}'],
    [[], '[]'],
    [{ a: 1, b: [true, null, 'x'] }, '{"a": 1, "b": [true, null, "x"]}'],
    [{ z: 1, a: 2 }, '{"z": 1, "a": 2}'],
    [{ 'é"': 'é' }, '{"\\u00e9\\"": "\\u00e9"}'],
    [[1e16, 1e-7, -0], '[1e+16, 1e-07, -0.0]'],
    [[NaN, Infinity, -Infinity], '[NaN, Infinity, -Infinity]'],
    [{ big: 12345678901234567890n }, '{"big": 12345678901234567890}'],
  ])('writes %p as json.dumps does', (value, text) => {
    expect(pythonJson(value)).toBe(text);
  });

  it('leaves out fields that are undefined, and writes null for undefined elements and holes', () => {
    expect(pythonJson({ a: undefined, b: 1 })).toBe('{"b": 1}');
    expect(pythonJson([undefined, 1])).toBe('[null, 1]');
    // eslint-disable-next-line no-sparse-arrays
    expect(pythonJson([1, , 2])).toBe('[1, null, 2]');
  });

  it('takes objects with toJSON at their word, and boxed values as their values', () => {
    expect(pythonJson({ at: new Date(0) })).toBe('{"at": "1970-01-01T00:00:00.000Z"}');
    expect(pythonJson([new Number(5), new String('x'), new Boolean(false)])).toBe('[5, "x", false]');
  });

  it('takes one object in two places, but no circle', () => {
    const shared = { a: 1 };
    expect(pythonJson([shared, { shared }])).toBe('[{"a": 1}, {"shared": {"a": 1}}]');
    const circle: unknown[] = [];
    circle.push({ inner: circle });
    expect(() => pythonJson(circle)).toThrow('the value contains itself');
  });

  it('is JSON: what it writes reads back as the same value', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(pythonJson(value))).toEqual(value);
      }),
    );
  });
});

const hasPython = spawnSync('python3', ['-c', 'pass']).status === 0;

/** Answers of a Python program that reads one line per input and prints one line per answer. */
function askPython(program: string, inputs: readonly string[]): string[] {
  const python = spawnSync('python3', ['-c', program], {
    input: inputs.join('\n'),
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  });
  if (python.status !== 0) throw python.error ?? new Error(python.stderr);
  return python.stdout.trimEnd().split('\n');
}

(hasPython ? describe : describe.skip)('agrees with the python3 of this machine', () => {
  it('on the text of any number, but for the ".0" of integral ones (integral-floats)', () => {
    const bits = new DataView(new ArrayBuffer(8));
    const values = fc.sample(fc.double(), 2000);
    const inputs = values.map((value) => {
      bits.setFloat64(0, value);
      return bits.getBigUint64(0).toString(16).padStart(16, '0');
    });
    const program =
      'import struct, sys\nfor line in sys.stdin: print(repr(struct.unpack(">d", bytes.fromhex(line.strip()))[0]))';
    const expected = askPython(program, inputs).map((text) => (text === '-0.0' ? text : text.replace(/\.0$/, '')));
    expect(values.map(pythonNumber)).toEqual(expected);
  });

  it('on the text of any JSON value', () => {
    // Python would read an integral number without a fraction as an int, and print all its digits.
    const float = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !Number.isInteger(value));
    const leaf = fc.oneof(float, fc.maxSafeInteger(), fc.boolean(), fc.constant(null), fc.string({ unit: 'binary' }));
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.array(tie('value')),
        fc.dictionary(fc.string({ unit: 'binary' }), tie('value'), { noNullPrototype: true }),
      ),
    }));
    const values = fc.sample(value, 500);
    const program = 'import json, sys\nfor line in sys.stdin: print(json.dumps(json.loads(line)))';
    expect(values.map(pythonJson)).toEqual(askPython(program, values.map(toAsciiJson)));
  });
});

/** JSON text in ASCII, so that neither Python's locale nor its notion of a line matters. */
function toAsciiJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
