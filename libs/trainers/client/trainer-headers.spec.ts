import { OsmosisError, Secret } from '#domain';
import { trainerHeaders } from './trainer-headers.js';

describe('trainerHeaders', () => {
  const headers = (apiKey: string | null, url = 'http://h', idempotencyKey = 'r:1') =>
    trainerHeaders({ url, apiKey: Secret.from(apiKey) }, idempotencyKey);

  it('sends the key as bearer, and no authorization without one (spec 1.10)', () => {
    expect(headers('k')).toMatchObject({ authorization: 'Bearer k', 'content-type': 'application/json' });
    expect(headers('')).not.toHaveProperty('authorization');
    expect(headers(null)).not.toHaveProperty('authorization');
  });

  it('NT-15: trims the key', () => {
    expect(headers(' tok\r\n')).toMatchObject({ authorization: 'Bearer tok' });
  });

  it.each(['SECRET\n7f3a', 'SECRET\u00007f3a', 'SECRET-ключ'])('NT-15: refuses %j without showing it', (key) => {
    expect(() => headers(key)).toThrow(OsmosisError);
    expect(() => headers(key)).toThrow(expect.not.objectContaining({ message: expect.stringContaining('SECRET') }));
    expect(() => headers(key)).toThrow(expect.objectContaining({ code: 'REQUEST_INVALID' }));
  });

  it("sends the URL's credentials as Basic when there is no key", () => {
    const basic = `Basic ${Buffer.from('user:p:w').toString('base64')}`;
    expect(headers(null, 'http://user:p%3Aw@h/x')).toMatchObject({ authorization: basic });
    expect(headers('k', 'http://user:p%3Aw@h/x')).toMatchObject({ authorization: 'Bearer k' });
  });

  it('makes header text of any idempotency key, different for different keys', () => {
    expect(headers(null, 'http://h', 'run-1_a.b~c:12')['idempotency-key']).toBe('run-1_a.b~c:12');
    expect(headers(null, 'http://h', 'a b\u00fc\ud800😀%:1')['idempotency-key']).toBe(
      'a%20b%C3%BC%EF%BF%BD%F0%9F%98%80%25:1',
    );
  });
});
