import type { RolloutMeter, RolloutSession } from '#agent';
import type { RolloutPhase, RolloutRequest } from '#domain';
import { deadlineOf, deadlineReached } from './deadline.js';
import { RolloutRecord, type RolloutWork } from './rollout.record.js';

function asking(metadata: Readonly<Record<string, unknown>>): RolloutRequest {
  return { metadata } as Partial<RolloutRequest> as RolloutRequest;
}

describe('deadlineOf', () => {
  it.each([
    [0.25, 250],
    [30, 30_000],
    [2 ** 31 / 1_000, 2 ** 31],
    [1e12, 1e15],
  ])('%d seconds of the request are its deadline', (seconds, ms) => {
    expect(deadlineOf(asking({ deadline_seconds: seconds }), 600_000)).toBe(ms);
  });

  it.each([undefined, null, 0, -1, NaN, Infinity, '30', true, {}, [30]])('%p is none: the default holds', (seconds) => {
    expect(deadlineOf(asking({ deadline_seconds: seconds }), 600_000)).toBe(600_000);
  });
});

describe('deadlineReached', () => {
  function running(phase: RolloutPhase, elapsed: readonly (readonly [RolloutPhase, number])[]): RolloutRecord {
    const record = new RolloutRecord('r', null, '', 'agent', 'osmosis-v0.2');
    const meter = { phase, elapsed: () => new Map(elapsed) } as Partial<RolloutMeter> as RolloutMeter;
    const session = { meter } as Partial<RolloutSession> as RolloutSession;
    record.work = { session } as Partial<RolloutWork> as RolloutWork;
    return record;
  }

  it('names the limit, the phase, and where the time went', () => {
    const record = running('tools', [
      ['agent', 1.4],
      ['model', 250],
      ['tools', 48.7],
    ]);
    expect(deadlineReached(record, 300)).toMatchObject({
      code: 'DEADLINE',
      retryable: true,
      message:
        'The rollout did not end within its deadline of 300 ms (timeout; rollouts.deadlineMs). ' +
        'It ran out in phase tools; spent: agent 1 ms, model 250 ms, tools 49 ms.',
    });
  });

  it('that never got a slot has spent all of it in the queue', () => {
    const record = new RolloutRecord('r', null, '', 'agent', 'osmosis-v0.2');
    expect(deadlineReached(record, 300).message).toContain('in phase queue; spent: all of it in the queue');
  });
});
