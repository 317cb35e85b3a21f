import { readDeviceCode, readDevicePoll, readVerification } from './platform.readers.js';

const NOW = Date.parse('2030-01-01T00:00:00Z');

describe('answers of the platform', () => {
  describe('verification (spec E.3, G-E)', () => {
    it('reads user, organisation, expiry and token id', () => {
      const answer = {
        valid: true,
        token_id: 't1',
        user: { id: 'u', email: 'a@b.c', name: 'Ada' },
        organization: { id: 'o', name: 'Acme', role: 'owner' },
        expires_at: '2030-02-01T00:00:00Z',
      };
      expect(readVerification(answer, NOW)).toEqual({
        user: answer.user,
        organization: answer.organization,
        tokenId: 't1',
        expiresAt: new Date('2030-02-01T00:00:00Z'),
      });
    });

    it('missing parts have their defaults', () => {
      expect(readVerification({ valid: true, user: {}, organization: {} }, NOW)).toEqual({
        user: { id: '', email: '', name: null },
        organization: { id: '', name: '', role: 'member' },
        tokenId: null,
        expiresAt: new Date(NOW + 90 * 86_400_000),
      });
    });

    it('the answer of 0.3: no `valid`, the organisation under `workspace`', () => {
      const { organization } = readVerification(
        { user: { id: 'u' }, workspace: { id: 'w', name: 'W', role: 'admin' } },
        NOW,
      );
      expect(organization).toEqual({ id: 'w', name: 'W', role: 'admin' });
    });

    it.each<[string, unknown, string]>([
      ['valid: false', { valid: false, user: {} }, 'AUTH_REJECTED'],
      ['neither valid nor a user', {}, 'AUTH_REJECTED'],
      ['an expiry in the past', { valid: true, expires_at: '2029-01-01T00:00:00Z' }, 'AUTH_REJECTED'],
      ['a naive expiry', { valid: true, expires_at: '2031-01-01T00:00:00' }, 'PROTOCOL'],
      ['an expiry that is no time', { valid: true, expires_at: 'soon' }, 'PROTOCOL'],
      ['no object', ['valid'], 'PROTOCOL'],
      ['a user that is no object', { valid: true, user: 'ada' }, 'PROTOCOL'],
    ])('%s is refused', (_name, answer, code) => {
      expect(() => readVerification(answer, NOW)).toThrow(expect.objectContaining({ code }));
    });
  });

  describe('device codes (spec 0.3, 5.3)', () => {
    const code = { device_code: 'd', user_code: 'ABCD', verification_uri: 'https://p.example/device' };

    it('has RFC 8628 defaults', () => {
      expect(readDeviceCode(code)).toMatchObject({
        userCode: 'ABCD',
        verificationUriComplete: null,
        intervalMs: 5_000,
        expiresInMs: 900_000,
      });
    });

    it.each([
      ['no user code', { ...code, user_code: '' }],
      ['an escape sequence', { ...code, user_code: 'A\u001b[2J' }],
      ['an address that is no web address', { ...code, verification_uri: 'javascript:alert(1)' }],
    ])('%s is refused', (_name, answer) => {
      expect(() => readDeviceCode(answer)).toThrow(expect.objectContaining({ code: 'PROTOCOL' }));
    });

    it.each([
      [{ error: 'authorization_pending' }, { state: 'pending' }],
      [{ error: 'slow_down' }, { state: 'slow-down' }],
      [{ error: 'access_denied' }, { state: 'refused', reason: 'denied' }],
      [{ error: 'expired_token' }, { state: 'refused', reason: 'expired' }],
      [
        { error: 'odd', error_description: 'Full moon' },
        { state: 'refused', reason: 'unknown', text: 'Full moon' },
      ],
      [{ token: 't' }, { state: 'granted' }],
    ])('%j', (answer, expected) => {
      expect(readDevicePoll(answer)).toMatchObject(expected);
    });
  });
});
