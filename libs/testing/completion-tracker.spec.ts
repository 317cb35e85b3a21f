import { RolloutCompletionTracker } from './completion-tracker.js';
import type { RolloutCompletion } from './wire/rollout-completion.js';

const completed = (rolloutId: string): RolloutCompletion => ({
  rollout_id: rolloutId,
  status: 'COMPLETED',
  final_messages: [],
  extra_fields: {},
});

describe('RolloutCompletionTracker (spec 12.16)', () => {
  let tracker: RolloutCompletionTracker;
  beforeEach(() => (tracker = new RolloutCompletionTracker()));

  it('is empty and unset at first, set by a record, and reset by clear', () => {
    expect(tracker.event).toBe(false);
    expect(tracker.responses).toEqual([]);
    tracker.record(completed('a'));
    expect(tracker.event).toBe(true);
    expect(tracker.responses).toEqual([completed('a')]);
    tracker.clear();
    expect(tracker.event).toBe(false);
    expect(tracker.responses).toEqual([]);
    tracker.record(completed('b'));
    expect(tracker.responses).toEqual([completed('b')]);
  });

  it('wait is false when nothing comes, true when something is there or comes', async () => {
    expect(await tracker.wait(10)).toBe(false);
    const waiting = tracker.wait();
    tracker.record(completed('a'));
    expect(await waiting).toBe(true);
    expect(await tracker.wait(0)).toBe(true);
  });

  it('waitFor gives the completion of one rollout, whether it is there or still to come', async () => {
    const waiting = tracker.waitFor('b');
    tracker.record(completed('a'));
    tracker.record(completed('b'));
    expect((await waiting).rollout_id).toBe('b');
    expect((await tracker.waitFor('a', 0)).rollout_id).toBe('a');
  });

  it('waitForCount counts repeated deliveries, too', async () => {
    const waiting = tracker.waitForCount(2);
    tracker.record(completed('a'));
    tracker.record(completed('a'));
    expect(await waiting).toEqual([completed('a'), completed('a')]);
  });

  it('waits as long as it was told when it was made', async () => {
    const hasty = new RolloutCompletionTracker({ timeoutMs: 5 });
    await expect(hasty.waitFor('b')).rejects.toThrow('waited 5 ms');
    await expect(hasty.waitForCount(1)).rejects.toThrow('waited 5 ms');
    expect(await hasty.wait()).toBe(false);
  });

  it('a wait that ends in vain says what did come', async () => {
    tracker.record(completed('a'));
    await expect(tracker.waitFor('b', 5)).rejects.toThrow(/5 ms for a completion of rollout 'b'. Received: 'a'/);
    await expect(tracker.waitForCount(2, 5)).rejects.toThrow(/5 ms for 2 completions. Received: 'a'/);
  });
});
