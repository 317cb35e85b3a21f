import * as fc from 'fast-check';
import { backoffDelayMs, parseRetryAfterMs } from './backoff.js';

const policy = { baseDelayMs: 1_000, maxDelayMs: 30_000 };

describe('backoffDelayMs', () => {
  it('doubles from failure to failure up to the greatest delay, where the dice fall high', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map((failures) => backoffDelayMs(policy, failures, undefined, () => 1));
    expect(delays).toEqual([2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('is half of that where they fall low, but never below the base', () => {
    const delays = [1, 2, 3, 4, 5, 6, 7].map((failures) => backoffDelayMs(policy, failures, undefined, () => 0));
    expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 15_000]);
  });

  it('spreads rollouts that failed together', () => {
    const lots = [0.25, 0.75, 0.5];
    const dice = jest.spyOn(Math, 'random').mockImplementation(() => lots.shift()!);
    try {
      expect([1, 1, 1].map((failures) => backoffDelayMs(policy, failures))).toEqual([1_250, 1_750, 1_500]);
    } finally {
      dice.mockRestore();
    }
  });

  it('stays a delay between base and greatest delay after any number of failures', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1 }), (failures) => {
        const delayMs = backoffDelayMs(policy, failures);
        expect(delayMs).toBeGreaterThanOrEqual(policy.baseDelayMs);
        expect(delayMs).toBeLessThanOrEqual(policy.maxDelayMs);
      }),
    );
  });

  it("NT-03: honours the peer's own wish, also beyond the greatest delay, but never below the base", () => {
    expect(backoffDelayMs(policy, 1, 7_000)).toBe(7_000);
    expect(backoffDelayMs(policy, 5, 60_000)).toBe(60_000);
    expect(backoffDelayMs(policy, 5, 0)).toBe(1_000);
    expect(backoffDelayMs(policy, 5, 365 * 86_400_000)).toBe(3_600_000);
  });
});

describe('parseRetryAfterMs', () => {
  const now = Date.UTC(1994, 10, 6, 8, 49, 30);

  it.each([
    ['120', 120_000],
    [' 2 ', 2_000],
    ['0', 0],
    ['1.5', 1_500],
  ])('NT-03: %j are seconds', (header, expected) => {
    expect(parseRetryAfterMs(header, now)).toBe(expected);
  });

  it.each(['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])(
    'NT-03: %s is a date of HTTP, in one of its three forms and always GMT',
    (header) => {
      expect(parseRetryAfterMs(header, now)).toBe(7_000);
    },
  );

  it('NT-03: a date without a zone is GMT wherever this machine stands', () => {
    const parse = jest.spyOn(Date, 'parse');
    try {
      parseRetryAfterMs('Sun Nov  6 08:49:37 1994', now);
      expect(parse.mock.calls).toEqual([['Sun Nov  6 08:49:37 1994 GMT']]);
    } finally {
      parse.mockRestore();
    }
  });

  it('NT-03: a date in the past asks for no wait', () => {
    expect(parseRetryAfterMs('Sun, 06 Nov 1994 08:49:00 GMT', now)).toBe(0);
  });

  it.each(['soon', 'soon 2', '-1', '1e3', '0x10', 'NaN', 'Infinity', '2 seconds', '1994-11-06', 'Sun 2', '', ' '])(
    'NT-03: %j asks for nothing that could be understood',
    (header) => {
      expect(parseRetryAfterMs(header, now)).toBeUndefined();
    },
  );

  it('NT-03: no header, no wish', () => {
    expect(parseRetryAfterMs(null, now)).toBeUndefined();
    expect(parseRetryAfterMs(undefined, now)).toBeUndefined();
  });

  it('NT-03: never gives what a timer would take for "at once"', () => {
    const headers = fc.oneof(fc.string(), fc.stringMatching(/^(Mon|Sun),? [0-9A-Za-z :]{0,30}$/));
    fc.assert(
      fc.property(headers, (header) => {
        const delayMs = parseRetryAfterMs(header, now) ?? 0;
        expect(delayMs).toBeGreaterThanOrEqual(0);
      }),
    );
  });
});
