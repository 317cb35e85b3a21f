import { Cancellation, OsmosisError, PeerStatusError, TransportError } from '#domain';
import { ImpatientClock } from './fixtures/impatient-clock.js';
import { withRetries, type RetryOptions } from './retry.js';

describe('withRetries', () => {
  function run(errors: Error[], extra: Partial<RetryOptions> = {}) {
    const clock = new ImpatientClock();
    const backoff = { baseDelayMs: 1_000, maxDelayMs: 4_000 };
    let attempts = 0;
    const result = withRetries(
      async (number) => {
        attempts = number;
        const error = errors.shift();
        if (error) throw error;
        return number;
      },
      { maxRetries: 3, backoff, clock, ...extra },
    );
    return { result, clock, attempts: () => attempts };
  }

  const broken = (): TransportError => new TransportError('broken');

  it('repeats retryable errors until one attempt succeeds', async () => {
    const seen: unknown[] = [];
    const { result } = run([broken(), broken()], { onRetry: (error, _, failed) => seen.push([error.code, failed]) });
    expect(await result).toBe(3);
    expect(seen).toEqual([
      ['TRANSPORT', 1],
      ['TRANSPORT', 2],
    ]);
  });

  it('throws the last error after maxRetries further attempts', async () => {
    const errors = [broken(), broken(), broken(), new TransportError('the last')];
    const { result, attempts } = run(errors);
    await expect(result).rejects.toThrow('the last');
    expect(attempts()).toBe(4);
  });

  it.each([
    ['refused', new PeerStatusError('no', { status: 400 })],
    ['foreign', new TypeError('a bug')],
  ])('does not repeat a %s error', async (_, error) => {
    const { result, attempts } = run([error]);
    await expect(result).rejects.toBe(error);
    expect(attempts()).toBe(1);
  });

  it('waits longer and longer, with jitter between half and whole, never below the base', async () => {
    const { result, clock } = run([broken(), broken(), broken()]);
    await result;
    const [first, second, third] = clock.waits as [number, number, number];
    expect(first).toBeGreaterThanOrEqual(1_000);
    expect(first).toBeLessThanOrEqual(2_000);
    expect(second).toBeGreaterThanOrEqual(2_000);
    expect(second).toBeLessThanOrEqual(4_000);
    expect(third).toBeGreaterThanOrEqual(2_000);
    expect(third).toBeLessThanOrEqual(4_000);
  });

  it('NT-03: does what Retry-After says, but never less than the base', async () => {
    const slow = new PeerStatusError('later', { status: 429, retryAfterMs: 60_000 });
    const eager = new PeerStatusError('now', { status: 429, retryAfterMs: 0 });
    const { result, clock } = run([slow, eager]);
    await result;
    expect(clock.waits).toEqual([60_000, 1_000]);
  });

  it('ends with the reason when cancelled during a wait', async () => {
    const cancellation = new Cancellation();
    const reason = new OsmosisError('CANCELLED', 'enough');
    const { result, attempts } = run([broken()], { cancellation, onRetry: () => cancellation.cancel(reason) });
    await expect(result).rejects.toBe(reason);
    expect(attempts()).toBe(1);
  });

  it('does not repeat the reason of a cancellation, although a deadline calls itself retryable', async () => {
    const cancellation = new Cancellation();
    const reason = new OsmosisError('DEADLINE', 'time is up');
    cancellation.cancel(reason);
    const { result, attempts } = run([reason], { cancellation });
    await expect(result).rejects.toBe(reason);
    expect(attempts()).toBe(1);
  });
});
