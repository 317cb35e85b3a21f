import { Secret, systemClock } from '#domain';
import { httpResponse } from './fixtures/http-response.js';
import { isSuccess, statusError } from './response-status.js';

const URL_WITH_SECRETS = new URL('http://user:pass@h/v1/x?key=hidden');

function errorOf(status: number, body: string, headers: Record<string, string> = {}) {
  return statusError(URL_WITH_SECRETS, httpResponse(status, headers, body), Secret.from('SECRET-7f3a'), systemClock);
}

describe('the status of an answer', () => {
  it.each([
    [200, true],
    [299, true],
    [199, false],
    [304, false],
    [404, false],
  ])('%i is a success: %s', (status, success) => {
    expect(isSuccess(httpResponse(status))).toBe(success);
  });

  it.each([
    [400, 'PEER_REFUSED', false],
    [401, 'PEER_REFUSED', false],
    [408, 'PEER_ERROR', true],
    [425, 'PEER_ERROR', true],
    [429, 'PEER_ERROR', true],
    [500, 'PEER_ERROR', true],
    [599, 'PEER_ERROR', true],
  ])('%i is %s, retryable: %s', (status, code, retryable) => {
    expect(errorOf(status, '')).toMatchObject({ status, code, retryable });
  });

  it('NT-05: shows status, content type and at most 200 characters of a page, in one line', () => {
    const page = `<!DOCTYPE html>\n\t<html>${'x'.repeat(5_000)}`;
    const { message } = errorOf(502, page, { 'content-type': 'text/html' });
    const start = 'POST http://h/v1/x answered 502 (content-type text/html): ';
    expect(message.startsWith(`${start}<!DOCTYPE html> <html>xxx`)).toBe(true);
    expect(message).toHaveLength(start.length + 200);
  });

  it('AU-05: blots out a key that the peer echoes, also where the excerpt is cut', () => {
    const { message } = errorOf(403, `bad key SECRET-7f3a ${'x'.repeat(165)} SECRET-7f3a`);
    expect(message).toContain('bad key [secret]');
    expect(message).not.toContain('SECRET-7');
    expect(message).not.toMatch(/pass|hidden/);
  });

  it('NT-03: reads Retry-After as seconds or as a date, and nothing else', () => {
    const date = new Date(Date.now() + 60_000).toUTCString();
    expect(errorOf(429, '', { 'retry-after': '7' }).retryAfterMs).toBe(7_000);
    expect(errorOf(429, '', { 'retry-after': date }).retryAfterMs).toBeGreaterThan(50_000);
    expect(errorOf(429, '', { 'retry-after': 'soon' }).retryAfterMs).toBeUndefined();
  });
});
