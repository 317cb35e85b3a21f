import { rawHeader } from './raw-headers.js';

const headers = (...texts: string[]): Buffer[] => texts.map((text) => Buffer.from(text, 'latin1'));

describe('a header among raw ones', () => {
  it('is found in any case', () => {
    expect(rawHeader(headers('Content-Type', 'text/html', 'RETRY-AFTER', '3'), 'retry-after')).toBe('3');
  });

  it('that comes more than once is joined', () => {
    expect(rawHeader(headers('content-encoding', 'gzip', 'x', 'y', 'Content-Encoding', 'br'), 'content-encoding')).toBe(
      'gzip, br',
    );
  });

  it('that is missing is null, an empty one is not', () => {
    expect(rawHeader(headers('location', ''), 'location')).toBe('');
    expect(rawHeader(headers('locations', '/x'), 'location')).toBeNull();
    expect(rawHeader([], 'location')).toBeNull();
  });

  it('is not looked for among values, or behind a name without a value', () => {
    expect(rawHeader(headers('x', 'location', 'location'), 'location')).toBeNull();
  });
});
