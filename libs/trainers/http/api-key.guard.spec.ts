import type * as Crypto from 'node:crypto';
import { Secret } from '#domain';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { ApiKeyGuard, parseBearerToken } from './api-key.guard.js';

// A spy needs a property that can be replaced.
jest.mock('node:crypto', () => ({ ...jest.requireActual<object>('node:crypto') }));
const crypto = jest.requireMock<typeof Crypto>('node:crypto');

function passes(guard: ApiKeyGuard, authorization?: string): boolean {
  try {
    return guard.canActivate(new ExecutionContextHost([{ headers: { authorization } }]));
  } catch (error) {
    expect(error).toMatchObject({ code: 'UNAUTHORIZED', httpStatus: 401 });
    return false;
  }
}

describe('parseBearerToken (spec 12.6)', () => {
  it.each([
    [null, null],
    [undefined, null],
    ['', null],
    ['   ', null],
    ['Bearer my-secret-token', 'my-secret-token'],
    ['bearer abc123', 'abc123'],
    ['BEARER xyz789', 'xyz789'],
    ['BeArEr mixed', 'mixed'],
    ['  Bearer tok  ', 'tok'],
    ['Bearer\t tok', 'tok'],
    ['plain-token', 'plain-token'],
    ['Bearer', 'Bearer'],
    ['Bearer token extra', 'Bearer token extra'],
    ['Basic dXNlcjpwYXNz', 'Basic dXNlcjpwYXNz'],
  ])('%j → %j', (header, token) => {
    expect(parseBearerToken(header)).toBe(token);
  });
});

describe('ApiKeyGuard', () => {
  it('lets everybody pass when no key is configured', () => {
    for (const apiKeys of [undefined, []]) {
      const guard = new ApiKeyGuard({ apiKeys });
      expect([guard.isConfigured, passes(guard)]).toEqual([false, true]);
    }
  });

  it('takes each of several keys, as text or Secret, whole and in their own case only', () => {
    const next = Secret.from('next');
    const guard = new ApiKeyGuard({ apiKeys: next ? ['current\n', next] : [] });
    expect(passes(guard, 'Bearer current')).toBe(true);
    expect(passes(guard, 'Bearer next')).toBe(true);
    for (const wrong of ['Bearer Next', 'Bearer nex', 'Bearer nextt', 'Basic next', undefined]) {
      expect(passes(guard, wrong)).toBe(false);
    }
  });

  it('an empty key closes the routes: nothing matches it', () => {
    const guard = new ApiKeyGuard({ apiKeys: '' });
    expect(guard.isConfigured).toBe(true);
    for (const header of [undefined, '', 'Bearer', 'Bearer ', ' ']) expect(passes(guard, header)).toBe(false);
  });

  it('compares bytes: a value outside ASCII is an ordinary one', () => {
    const latin1 = (text: string): string => Buffer.from(text).toString('latin1');
    const guard = new ApiKeyGuard({ apiKeys: 'schlüssel' });
    expect(passes(guard, `Bearer ${latin1('schlüssel')}`)).toBe(true);
    expect(passes(guard, 'Bearer schl\xfcssel')).toBe(false);
  });

  it('NT-15: refuses a key that no header can carry, without showing it', () => {
    expect(() => new ApiKeyGuard({ apiKeys: 'SECRET-7f3a\nx' })).toThrow(/control characters/);
    expect(() => new ApiKeyGuard({ apiKeys: 'SECRET-7f3a\nx' })).not.toThrow(/SECRET/);
  });

  it('AU-03: compares digests of 32 bytes, with every key each time, whatever is sent', () => {
    const compare = jest.spyOn(crypto, 'timingSafeEqual');
    const guard = new ApiKeyGuard({ apiKeys: ['a', 'a-much-longer-key'] });
    for (const token of ['a', 'x', 'y'.repeat(5000)]) passes(guard, `Bearer ${token}`);
    expect(compare).toHaveBeenCalledTimes(6);
    expect(compare.mock.calls.flat().map((digest) => digest.byteLength)).toEqual(Array(12).fill(32));
  });
});
