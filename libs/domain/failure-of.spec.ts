import { TransportError } from './errors.js';
import { failureOf } from './failure-of.js';
import { OsmosisError } from './osmosis.error.js';
import type { RolloutPhase } from './failure.js';

describe('failureOf', () => {
  it('a known error says itself what it is, whatever the rollout was doing', () => {
    expect(failureOf(new TransportError('no route to host'), 'model')).toEqual({
      class: 'transport',
      phase: 'model',
      code: 'TRANSPORT',
      message: 'no route to host',
      retryable: true,
    });
  });

  it('an error may know better than its code whether a retry helps', () => {
    expect(failureOf(new TransportError('bad certificate', { retryable: false }), 'model').retryable).toBe(false);
  });

  it.each<[RolloutPhase, string, string]>([
    ['agent', 'AGENT_FAILED', 'agent'],
    ['model', 'AGENT_FAILED', 'agent'],
    ['tools', 'AGENT_FAILED', 'agent'],
    ['reward', 'REWARD_FAILED', 'reward'],
    ['judge', 'JUDGE_FAILED', 'judge'],
    ['queue', 'INTERNAL', 'agent'],
    ['delivery', 'INTERNAL', 'agent'],
  ])("an exception of the user's code in phase %s is %s", (phase, code, failureClass) => {
    const failure = failureOf(new RangeError('out of range'), phase);
    expect(failure).toMatchObject({ phase, code, class: failureClass, message: 'out of range' });
  });

  it('LC-15: anything may have been thrown', () => {
    for (const thrown of ['boom', undefined, null, 7, { code: 7 }]) {
      const failure = failureOf(thrown, 'agent');
      expect(failure).toMatchObject({ code: 'AGENT_FAILED', retryable: false });
      expect(failure.message).not.toBe('');
    }
  });

  it('understands errors of a second copy of the package', async () => {
    await jest.isolateModulesAsync(async () => {
      const copy = await import('./osmosis.error.js');
      expect(failureOf(new copy.OsmosisError('DEADLINE', 'too late'), 'agent')).toMatchObject({
        code: 'DEADLINE',
        class: 'deadline',
      });
    });
  });

  it('takes a code that only a newer copy knows for an exception of that phase', () => {
    const newer = Object.assign(new OsmosisError('INTERNAL', 'new kind of fault', { retryable: true }), {
      code: 'INVENTED_LATER',
    });
    expect(failureOf(newer, 'reward')).toEqual({
      class: 'reward',
      phase: 'reward',
      code: 'REWARD_FAILED',
      message: 'new kind of fault',
      retryable: true,
    });
  });
});
