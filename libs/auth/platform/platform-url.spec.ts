import { normalizePlatformUrl, resolvePlatformUrl } from './platform-url.js';

describe('platform URL (spec 0.3, 5.3)', () => {
  it.each([
    ['', 'https://platform.osmosis.ai'],
    ['platform.example.com', 'https://platform.example.com'],
    ['https://platform.example.com:443/', 'https://platform.example.com'],
    ['https://example.com/osmosis//', 'https://example.com/osmosis'],
    ['localhost:3000', 'http://localhost:3000'],
    ['127.0.0.1:3000/', 'http://127.0.0.1:3000'],
    ['http://[::1]:3000', 'http://[::1]:3000'],
  ])('%j means %s', (text, expected) => {
    expect(resolvePlatformUrl({ OSMOSIS_PLATFORM_URL: text })).toBe(expected);
  });

  it.each([
    ['http://platform.example.com', /not https/],
    ['http://127.0.0.1.evil.example', /not https/],
    ['ftp://platform.example.com', /no scheme/],
    ['https://user:SECRET-7f3a@platform.example.com', /user name or password/],
    ['https://platform.example.com?x=SECRET-7f3a', /query/],
    ['https://', /no URL/],
  ])('%j is refused', (text, message) => {
    const attempt = (): string => resolvePlatformUrl({ OSMOSIS_PLATFORM_URL: text });
    expect(attempt).toThrow(message);
    expect(attempt).not.toThrow(/SECRET/);
  });

  it('takes plain http when that is asked for', () => {
    const env = { OSMOSIS_PLATFORM_URL: 'http://platform.lan', OSMOSIS_ALLOW_INSECURE_PLATFORM_URL: '1' };
    expect(resolvePlatformUrl(env)).toBe('http://platform.lan');
  });

  it('the option is stronger than the environment', () => {
    expect(resolvePlatformUrl({ OSMOSIS_PLATFORM_URL: 'https://a.example' }, 'https://b.example')).toBe(
      'https://b.example',
    );
  });

  it('normalizes for comparing, and never throws', () => {
    expect(normalizePlatformUrl('HTTPS://Example.com:443/')).toBe('https://example.com');
    expect(normalizePlatformUrl('ftp://x')).toBeNull();
  });
});
