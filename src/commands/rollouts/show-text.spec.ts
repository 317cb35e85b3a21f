import { painter } from '../../cli/paint.js';
import { aRollout } from './fixtures/a-rollout.js';
import type { RolloutJson } from './rollout-json.js';
import { showText } from './show-text.js';

const NOW = Date.parse('2026-01-01T12:00:10Z');
const show = (more: Partial<RolloutJson> = {}): string => showText(aRollout(more), NOW, painter(false));

const failure = {
  class: 'model',
  phase: 'model',
  code: 'PEER_REFUSED',
  message: 'refused\nfor good',
  retryable: false,
};

describe('showText', () => {
  it('tells all of a rollout that ended well', () => {
    expect(show()).toBe(
      `Rollout r
Agent:    calculator (osmosis-v0.2)
State:    done
Status:   COMPLETED
Reward:   1
Turns:    2
Delivery: delivered, 1 attempt

Timeline
  2026-01-01T12:00:00.000Z              accepted
  2026-01-01T12:00:00.005Z       +5 ms  started
  2026-01-01T12:00:02.000Z      +2.0 s  sealed as COMPLETED, finish reason stop
  2026-01-01T12:01:02.000Z  +1 min 2 s  delivered, attempt 1

Time
  queue:    5 ms
  run:      2.0 s
  delivery: 1 min

Figures
  total latency: 2.0 s
  llm calls:     2
  prompt tokens: 30

Rewards
  exact: 1 (weight 1, 2 ms)
`,
    );
  });

  it('tells what one that runs is doing, and for how long', () => {
    const text = show({
      state: 'running',
      phase: 'tools',
      status: null,
      sealed_at: null,
      ended_at: null,
      elapsed_ms: { queue: 5, model: 3_000, tools: 6_995 },
      reward: null,
      rewards: [],
      delivery: null,
    });
    expect(text).toContain('State:  running (tools)\nReward: none\nTurns:  2\n');
    expect(text).toContain('queue: 5 ms\n  run:   10.0 s\n  model: 3.0 s\n  tools: 7.0 s\n');
    expect(text).not.toMatch(/delivery|Rewards|Failure/);
  });

  it('tells of one that was never started', () => {
    const text = show({
      state: 'queued',
      status: null,
      started_at: null,
      sealed_at: null,
      ended_at: null,
      metrics: null,
    });
    expect(text).toMatch(/Time\n {2}queue: 10\.0 s\n/);
    expect(text).not.toContain('Turns');
  });

  it('puts failed delivery attempts into the timeline, and the next one', () => {
    const failures = [
      { number: 1, at: '2026-01-01T12:00:03.000Z', error: 'HTTP 503' },
      { number: 2, at: '2026-01-01T12:00:06.000Z', error: 'refused\nby somebody' },
    ];
    const pending = {
      state: 'pending',
      attempts: 2,
      last_error: 'refused',
      next_attempt_at: '2026-01-01T12:00:30.000Z',
    };
    const lines = show({ state: 'delivering', ended_at: null, delivery: { ...pending, failures } });
    expect(lines).toMatch(
      /sealed as .*\n.*\+3\.0 s {2}delivery attempt 1 failed: HTTP 503\n.*attempt 2 failed: refused by somebody\n.*\+30\.0 s {2}next delivery attempt\n/,
    );
    const dead = { ...pending, state: 'dead', next_attempt_at: null, failures };
    expect(show({ delivery: dead })).toMatch(/\+1 min 2 s {2}given up after 2 attempts: a dead letter\n/);
  });

  it('tells a failure with its evidence, and of rewards that could not be computed', () => {
    const rewards = [{ name: 'judge', weight: 0.5, duration_ms: 7, failure: { ...failure, class: 'judge' } }];
    const text = show({
      status: 'ERROR',
      error_message: 'The model refused.',
      reward: null,
      rewards,
      failure: { ...failure, evidence: { status: 400 } },
    });
    expect(text).toContain('Error:    The model refused.\n');
    expect(text).toContain('judge: none (weight 0.5, 7 ms): judge, in phase model, PEER_REFUSED: refused for good\n');
    expect(text).toContain(`Failure
  model, in phase model, PEER_REFUSED; the same request would end so again
  refused
  for good
  Evidence:
    {
      "status": 400
    }
`);
    expect(show({ failure: { ...failure, retryable: true } })).toContain('may end well when sent again');
  });

  it('LC-18: shows control characters and obeys none', () => {
    const message = '\u001b[2J\rgone';
    const text = show({
      rollout_id: message,
      error_message: message,
      failure: { ...failure, message, evidence: message },
    });
    for (const character of message.slice(0, 1) + '\r') expect(text).not.toContain(character);
  });
});
