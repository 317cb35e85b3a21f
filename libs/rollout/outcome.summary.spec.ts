import { OsmosisError, type RolloutOutcome } from '#domain';
import { failedInQueue, failedOutcome, oneLine, summaryOf } from './outcome.summary.js';

const late = new OsmosisError('DEADLINE', 'too late');

describe('an outcome', () => {
  it('of a rollout that never ran says so, and gives no reward', () => {
    const outcome = failedInQueue('r', late);
    expect(outcome).toMatchObject({
      rolloutId: 'r',
      status: 'ERROR',
      finalMessages: [],
      finishReason: 'error',
      errorMessage: 'too late',
      reward: null,
      failure: { class: 'deadline', phase: 'queue', code: 'DEADLINE', retryable: true },
    });
    expect(Object.isFrozen(outcome)).toBe(true);
  });

  it('of a rollout that a former process ran keeps its conversation, and counts its turns', () => {
    const messages = [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }, { role: 'assistant' }];
    const outcome = failedOutcome('r', failedInQueue('r', late).failure!, messages);
    expect(outcome.finalMessages).toBe(messages);
    expect(outcome.metrics).toMatchObject({ numLlmCalls: 2, totalLatencyMs: 0 });
  });

  it('is remembered without its messages', () => {
    const summary = summaryOf(failedInQueue('r', late));
    expect(Object.keys(summary).sort()).toEqual(
      ['errorMessage', 'failure', 'finishReason', 'metrics', 'reward', 'rewards', 'status'].sort(),
    );
  });
});

describe('LC-18: oneLine', () => {
  const outcome: RolloutOutcome = failedInQueue('r1\n[Nest] ERROR fake', new Error('broke\nfor two lines'));

  it('is one line, whatever the id and the failure hold', () => {
    expect(oneLine('calculator', outcome)).toBe(
      'rollout "r1\\n[Nest] ERROR fake" agent=calculator ERROR finish=error turns=0 tools=0 reward=absent ms=0 ' +
        'failure=agent/queue/INTERNAL "broke\\nfor two lines"',
    );
  });

  it('RW-04: tells a reward of 0 from none', () => {
    expect(oneLine('a', { ...outcome, failure: null, reward: 0 })).toContain('reward=0 ms=0');
  });

  it('a long message is cut', () => {
    const long = failedInQueue('r', new Error('x'.repeat(10_000)));
    expect(oneLine('a', long).length).toBeLessThan(400);
  });
});
