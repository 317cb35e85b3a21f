import type { AtifDocument } from './document.js';
import { documentLine, documentText } from './document-json.js';

const text = (value: unknown): string => documentText(value as AtifDocument);

describe('spec 0.3, 2.2: the text of a document', () => {
  it('is indented by two, without a line break at its end', () => {
    expect(text({ a: 1, b: { c: ['x', {}], d: [], e: null } })).toBe(
      '{\n  "a": 1,\n  "b": {\n    "c": [\n      "x",\n      {}\n    ],\n    "d": [],\n    "e": null\n  }\n}',
    );
  });

  it.each([
    [[1, 2, -3], '[1, 2, -3]'],
    [
      [
        [1, 2],
        [3, 4],
      ],
      '[\n  [1, 2],\n  [3, 4]\n]',
    ],
    [[1, null], '[\n  1,\n  null\n]'],
    ['café 😀', '"caf\\u00e9 \\ud83d\\ude00"'],
    ['half \ud83d', '"half \\ufffd"'],
    [-0, '-0.0'],
    [1e-7, '1e-07'],
    [false, 'false'],
  ])('%j is written as %s', (value, written) => {
    expect(text(value)).toBe(written);
    expect(JSON.parse(written)).toEqual(value === 'half \ud83d' ? 'half \ufffd' : value);
  });

  it('leaves out fields without a value, and keeps nulls and falsehoods', () => {
    expect(documentLine({ a: undefined, b: null, c: false, d: [{ e: [1] }] } as unknown as AtifDocument)).toBe(
      '{"b": null, "c": false, "d": [{"e": [1]}]}',
    );
  });

  it.each([[NaN], [[1, Infinity]], [{ extra: { a: -Infinity } }], [1n], [() => 1]])('refuses %p', (value) => {
    expect(() => text(value)).toThrow(/has no JSON form/);
  });
});
