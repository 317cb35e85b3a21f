import { normalizeBaseUrl } from './base.url.js';

describe('base URLs', () => {
  it.each([
    ['http://h:1', 'http://h:1/v1'],
    ['http://h:1/', 'http://h:1/v1'],
    ['http://h:1/v1', 'http://h:1/v1'],
    ['http://h:1/v1//', 'http://h:1/v1'],
    ['http://h:1/api/v1', 'http://h:1/api/v1'],
    ['http://h:1/av1', 'http://h:1/av1/v1'],
    ['http://h:1/v1beta/openai/', 'http://h:1/v1beta/openai'],
    ['http://h:1/v1/chat/completions', 'http://h:1/v1'],
    ['  https://h/openai  ', 'https://h/openai/v1'],
    ['http://[::1]:9', 'http://[::1]:9/v1'],
  ])('NT-07, NT-08: %s is %s', (given, expected) => {
    expect(normalizeBaseUrl(given)).toBe(expected);
  });

  it.each([
    ['nonsense', /is no URL/],
    ['ftp://h/v1', /http:\/\/ or https:\/\//],
    ['http://h/v1?api-version=1', /query/],
  ])('refuses %s', (given, message) => {
    expect(() => normalizeBaseUrl(given)).toThrow(message);
  });

  it('AU-05: refuses a password in the URL without showing it', () => {
    expect(() => normalizeBaseUrl('http://me:SECRET-9c1b@h/v1')).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('SECRET') }),
    );
  });
});
