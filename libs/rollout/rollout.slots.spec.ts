import { Cancellation, OsmosisError } from '#domain';
import { RolloutSlots } from './rollout.slots.js';

const cancelled = new OsmosisError('CANCELLED', 'not wanted any more');

describe('RolloutSlots', () => {
  it('gives out as many slots as it has', () => {
    const slots = new RolloutSlots(2);
    expect([slots.tryAcquire(), slots.tryAcquire(), slots.tryAcquire()]).toEqual([true, true, false]);
    expect(slots).toMatchObject({ freeCount: 0, runningCount: 2, waitingCount: 0 });
    slots.release();
    expect(slots).toMatchObject({ freeCount: 1, runningCount: 1 });
    expect(slots.tryAcquire()).toBe(true);
  });

  it('hands a slot that is given back to whoever has waited longest', async () => {
    const slots = new RolloutSlots(1);
    slots.tryAcquire();
    const order: string[] = [];
    const first = slots.acquire(new Cancellation()).then(() => order.push('first'));
    const second = slots.acquire(new Cancellation()).then(() => order.push('second'));
    expect(slots.waitingCount).toBe(2);
    slots.release();
    // The slot is never free in between, so that a newcomer cannot overtake.
    expect(slots.tryAcquire()).toBe(false);
    await first;
    slots.release();
    await second;
    expect(order).toEqual(['first', 'second']);
    expect(slots).toMatchObject({ waitingCount: 0, runningCount: 1 });
  });

  it('lets a waiting one go without a slot when it is cancelled', async () => {
    const slots = new RolloutSlots(1);
    slots.tryAcquire();
    const impatient = new Cancellation();
    const waiting = slots.acquire(impatient);
    const patient = slots.acquire(new Cancellation());
    impatient.cancel(cancelled);
    await expect(waiting).rejects.toBe(cancelled);
    expect(slots.waitingCount).toBe(1);
    slots.release();
    await patient;
    slots.release();
    expect(slots.freeCount).toBe(1);
  });

  it('refuses one that was cancelled before it came', async () => {
    const slots = new RolloutSlots(1);
    slots.tryAcquire();
    const late = new Cancellation();
    late.cancel(cancelled);
    await expect(slots.acquire(late)).rejects.toBe(cancelled);
    expect(slots.waitingCount).toBe(0);
  });

  it('a cancellation after the slot was taken takes nothing away', async () => {
    const slots = new RolloutSlots(1);
    slots.tryAcquire();
    const cancellation = new Cancellation();
    const waiting = slots.acquire(cancellation);
    slots.release();
    await waiting;
    cancellation.cancel(cancelled);
    expect(slots).toMatchObject({ runningCount: 1, freeCount: 0 });
  });
});
