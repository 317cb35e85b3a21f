import { TextMemo } from './text-memo.js';

describe('TextMemo', () => {
  it('makes a value once for each text', () => {
    const make = jest.fn((text: string) => ({ text }));
    const memo = new TextMemo(make);
    const first = memo.get('a');
    expect(memo.get('a')).toBe(first);
    expect(memo.get('b')).toEqual({ text: 'b' });
    expect(make).toHaveBeenCalledTimes(2);
  });

  it('does not remember what is thrown', () => {
    const make = jest.fn((): string => {
      throw new Error('no');
    });
    const memo = new TextMemo(make);
    expect(() => memo.get('a')).toThrow('no');
    expect(() => memo.get('a')).toThrow('no');
    expect(make).toHaveBeenCalledTimes(2);
  });

  it('stays small, whatever is asked', () => {
    const make = jest.fn((text: string) => text);
    const memo = new TextMemo(make);
    for (let index = 0; index <= 1_000; index++) memo.get(`text ${index}`);
    memo.get('text 0');
    expect(make).toHaveBeenCalledTimes(1_002);
    const long = 'x'.repeat(5_000);
    memo.get(long);
    memo.get(long);
    expect(make).toHaveBeenCalledTimes(1_004);
  });
});
