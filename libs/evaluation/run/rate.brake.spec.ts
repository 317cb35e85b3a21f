import { Cancellation, OsmosisError, type Clock } from '#domain';
import { RateBrake } from './rate.brake.js';

/** A clock that jumps to whatever is waited for; whole milliseconds, since its sums are rounded. */
function jumpingClock(): Clock & { readonly slept: number[] } {
  let now = 0;
  const slept: number[] = [];
  return {
    slept,
    now: () => now,
    monotonic: () => now,
    after(delayMs, callback) {
      slept.push(Math.round(delayMs));
      now += delayMs;
      queueMicrotask(callback);
      return { stop: () => {} };
    },
  };
}

describe('the brake for rate limits', () => {
  it('holds every run for as long as the provider asks', async () => {
    const clock = jumpingClock();
    const brake = new RateBrake(clock);
    await brake.wait(new Cancellation());
    expect(clock.slept).toEqual([]);
    brake.hold(7_000);
    await brake.wait(new Cancellation());
    expect(clock.slept).toEqual([7_000]);
  });

  it('holds longer each time, until a run succeeds; runs that met the same limit count once', async () => {
    const clock = jumpingClock();
    const brake = new RateBrake(clock);
    const held: number[] = [];
    for (let time = 0; time < 4; time++) {
      brake.hold();
      brake.hold();
      await brake.wait(new Cancellation());
      held.push(clock.slept.at(-1) ?? 0);
    }
    for (const [time, delay] of held.entries()) {
      expect(delay).toBeGreaterThanOrEqual(1_000);
      expect(delay).toBeLessThanOrEqual(2_000 * 2 ** time);
    }
    brake.release();
    brake.hold();
    await brake.wait(new Cancellation());
    expect(clock.slept.at(-1)).toBeLessThanOrEqual(2_000);
  });

  it('lets go when the evaluation is cancelled', async () => {
    const cancellation = new Cancellation();
    cancellation.cancel(new OsmosisError('CANCELLED', 'Interrupted.'));
    await expect(new RateBrake(jumpingClock()).wait(cancellation)).rejects.toThrow('Interrupted.');
  });
});
