import { lenientJson, strictJson } from './strict-json.js';

describe('strictJson', () => {
  it('replaces lone surrogates, in values and in keys, and keeps pairs', () => {
    expect(strictJson({ 'k\udc00': 'a\ud800b', ok: '😀' })).toBe('{"k\ufffd":"a\ufffdb","ok":"😀"}');
  });

  it('leaves text alone that only looks like an escape', () => {
    const text = 'a \\ud800 and \\\\ud800 and \\\\\\';
    expect(JSON.parse(strictJson({ text, odd: '\\\ud800' }))).toEqual({ text, odd: '\\\ufffd' });
  });

  it('writes null for NaN and Infinity (spec 1.5)', () => {
    expect(strictJson([NaN, Infinity, -Infinity])).toBe('[null,null,null]');
  });

  it.each([[10n], [undefined], [() => 1]])('throws for %p', (value) => {
    expect(() => strictJson(value)).toThrow(TypeError);
  });
});

describe('lenientJson', () => {
  it('gives strict JSON whatever the value holds', () => {
    const value = { big: 12345678901234567890n, at: new Date(0), f: () => 1, list: [undefined, NaN], text: '\ud800' };
    expect(JSON.parse(lenientJson(value))).toEqual({
      big: '12345678901234567890',
      at: '1970-01-01T00:00:00.000Z',
      list: [null, null],
      text: '\ufffd',
    });
  });

  it('says where a value cannot be read', () => {
    const trap = {
      get inner() {
        throw new Error('no');
      },
    };
    expect(lenientJson({ trap, kept: 1 })).toBe('{"trap":"[unreadable]","kept":1}');
  });

  it('says where a value contains itself', () => {
    const list: unknown[] = [1];
    list.push(list, 2n);
    expect(lenientJson(list)).toBe('[1,"[circular]","2"]');
  });

  it('survives any depth', () => {
    let deep: unknown = 1n;
    for (let level = 0; level < 5_000; level++) deep = [deep];
    expect(lenientJson(deep)).toContain('[nested too deep]');
  });
});
