import type { OutcomeSummary } from './outcome.summary.js';
import { newParcel } from './parcel.js';
import { RolloutRecord } from './rollout.record.js';
import { viewOfRecord, viewOfStored } from './rollout.view.js';
import type { StoredRollout } from './store/index.js';

const summary: OutcomeSummary = {
  status: 'COMPLETED',
  finishReason: 'stop',
  errorMessage: null,
  reward: 1,
  rewards: [],
  metrics: {
    totalLatencyMs: 5,
    llmLatencyMs: 4,
    toolLatencyMs: 0,
    numLlmCalls: 1,
    numToolCalls: 0,
    promptTokens: 1,
    responseTokens: 1,
    maxContextTokens: 2,
  },
  failure: null,
};

function record(fields: Partial<RolloutRecord> = {}): RolloutRecord {
  const made = new RolloutRecord('r', null, 'print', 'calculator', 'osmosis-v0.2');
  return Object.assign(made, { acceptedAt: 1_000, ...fields });
}

const parcel = { ...newParcel('r', { dialect: '', url: '', apiKey: null }, { url: '', body: '' }, 3_000), attempts: 2 };

describe('viewOfRecord', () => {
  it('a rollout that waits is in the queue, for as long as it was accepted', () => {
    expect(viewOfRecord(record(), 1_700)).toMatchObject({
      rolloutId: 'r',
      agent: 'calculator',
      state: 'queued',
      phase: 'queue',
      status: null,
      elapsedMs: { queue: 700 },
      metrics: null,
      outcome: null,
      delivery: null,
    });
  });

  it('one whose outcome is sealed is in delivery, and tells what went wrong last', () => {
    const waiting = { ...parcel, lastError: 'busy', nextAttemptAt: 9_000 };
    const sealed = record({ state: 'delivering', startedAt: 1_200, sealedAt: 3_000, summary, parcel: waiting });
    expect(viewOfRecord(sealed, 4_000)).toMatchObject({
      state: 'delivering',
      phase: 'delivery',
      status: 'COMPLETED',
      elapsedMs: { queue: 200 },
      metrics: { numLlmCalls: 1 },
      delivery: { state: 'pending', attempts: 2, lastError: 'busy', nextAttemptAt: 9_000 },
    });
  });

  it.each(['delivered', 'dead'] as const)('one whose completion is %s does nothing any more', (state) => {
    const delivery = { state, attempts: 3, lastError: 'busy' };
    const done = record({ state: 'done', startedAt: 1_200, sealedAt: 3_000, endedAt: 4_000, summary, delivery });
    expect(viewOfRecord(done, 9_000)).toMatchObject({
      state: 'done',
      phase: null,
      outcome: summary,
      delivery: { state, attempts: 3, lastError: 'busy', nextAttemptAt: null },
    });
  });

  it('one whose delivery the server’s stop has put off is still to be delivered', () => {
    const put = record({ state: 'done', sealedAt: 3_000, endedAt: 4_000, summary, parcel });
    expect(viewOfRecord(put, 9_000).delivery).toMatchObject({ state: 'pending', attempts: 2 });
  });
});

describe('viewOfStored', () => {
  const stored: StoredRollout = {
    rolloutId: 'r',
    agent: 'calculator',
    dialect: 'osmosis-v0.2',
    trainerUrl: 'http://trainer/done',
    state: 'done',
    status: 'COMPLETED',
    delivery: 'delivered',
    announcement: null,
    acceptedAt: 1_000,
    startedAt: 1_200,
    sealedAt: 3_000,
    endedAt: 4_000,
    attempts: [{ number: 1, at: 3_100, error: 'busy' }],
    summary: JSON.stringify(summary),
    completion: null,
  };

  it('tells the outcome, and counts the attempt that was acknowledged', () => {
    expect(viewOfStored(stored)).toMatchObject({
      state: 'done',
      status: 'COMPLETED',
      outcome: summary,
      metrics: summary.metrics,
      delivery: { state: 'delivered', attempts: 2, lastError: 'busy', failures: stored.attempts },
    });
    expect(viewOfStored({ ...stored, delivery: 'dead' }).delivery).toMatchObject({ state: 'dead', attempts: 1 });
  });

  it('of one that has no outcome there is none', () => {
    const open = { ...stored, state: 'running' as const, status: null, delivery: null, summary: null, attempts: [] };
    expect(viewOfStored(open)).toMatchObject({ state: 'running', outcome: null, metrics: null, delivery: null });
  });
});
