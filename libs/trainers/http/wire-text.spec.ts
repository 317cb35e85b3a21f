import { codePointLength, hasLoneSurrogate, isBlank, pythonSplit, pythonStrip, rustTrim } from './wire-text.js';

describe('text as Python sees it', () => {
  it('strips U+001C to U+001F and U+0085, and leaves U+FEFF and U+200B', () => {
    expect(pythonStrip('\u001c\u0085\u3000 a b \u2029\n')).toBe('a b');
    expect(pythonStrip('\ufeffa\u200b')).toBe('\ufeffa\u200b');
  });

  it('finds blank texts', () => {
    for (const blank of ['', ' ', '\t\n', '\u0085', '\u001f', '\u1680\u205f']) expect(isBlank(blank)).toBe(true);
    for (const full of ['\ufeff', '\u200b', ' x ', '\u0000']) expect(isBlank(full)).toBe(false);
  });

  it('splits at runs of white space', () => {
    expect(pythonSplit('  Bearer \t\u00a0 tok ')).toEqual(['Bearer', 'tok']);
    expect(pythonSplit(' \t')).toEqual([]);
  });

  it('trims numbers as Rust does, which keeps U+001C', () => {
    expect(rustTrim('\u0085 5\u00a0')).toBe('5');
    expect(rustTrim('\u001c5')).toBe('\u001c5');
  });

  it('counts code points, lone surrogates as one', () => {
    expect(codePointLength('😀'.repeat(256))).toBe(256);
    expect(codePointLength('a\ud83d')).toBe(2);
    expect(codePointLength('é😀,', 3)).toBe(2);
  });

  it('finds half a surrogate pair', () => {
    expect(hasLoneSurrogate('a\ud83d')).toBe(true);
    expect(hasLoneSurrogate('😀')).toBe(false);
  });
});
