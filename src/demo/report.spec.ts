import type { DemoRow } from './demo.protocol.js';
import { renderReport, totalsOf } from './report.js';

const row = (fields: Partial<DemoRow>): DemoRow => ({
  id: 'sum-01',
  problem: 'What is 1 + 1?',
  turns: 2,
  toolCalls: 1,
  reward: 1,
  expectedReward: 1,
  finishReason: 'stop',
  latencyMs: 12.4,
  missing: false,
  fault: null,
  ...fields,
});
const lost = row({
  problem: 'Lost?',
  turns: null,
  toolCalls: null,
  reward: null,
  finishReason: null,
  missing: true,
  fault: 'no completion within 30000 ms',
});

describe('the demo’s report', () => {
  it('is a table, the faults, and totals in which an absent reward is not 0', () => {
    const run = { rows: [row({}), lost, row({ problem: 'Half?', reward: 0.5 })], durationMs: 1500 };
    expect(renderReport(run, false).split('\n')).toEqual([
      'problem         turns  tool calls  reward  finish reason  latency',
      '──────────────  ─────  ──────────  ──────  ─────────────  ───────',
      'What is 1 + 1?      2           1    1.00  stop             12 ms',
      'Lost?               –           –       –  –                12 ms',
      'Half?               2           1    0.50  stop             12 ms',
      '',
      '1 not as expected:',
      '  Lost? no completion within 30000 ms',
      '',
      '3 rollouts, 1 missing, 4 turns, 2 tool calls',
      'mean reward 0.750, mean latency 12 ms, 2.0 rollouts per second (1.50 s in all)',
    ]);
    expect(totalsOf(run)).toMatchObject({ rollouts: 3, missing: 1, faults: 1, meanReward: 0.75, rolloutsPerSecond: 2 });
  });

  it('has colours only when asked for', () => {
    const run = { rows: [row({})], durationMs: 1 };
    expect(renderReport(run, true)).toContain('\u001b[32m');
    expect(renderReport(run, false)).not.toContain('\u001b');
  });
});
