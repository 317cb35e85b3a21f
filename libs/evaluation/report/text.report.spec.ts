import { aRun, anEvaluation } from '../testing/runs.js';
import type { RunProgress } from '../run/progress.js';
import type { RunSummary } from '../run/run.record.js';
import type { TestResult } from '../run/test.runner.js';
import { parseGate } from '../statistics/index.js';
import { buildReport } from './evaluation.report.js';
import { judgeGates } from './figures.js';
import { summarizeRuns } from './runs.summary.js';
import { testJson } from './test.json.js';
import { evalLine, gateLine, testLine, testSummary } from './text.report.js';

const progress = (run: RunSummary): RunProgress => ({
  done: 3,
  total: 10,
  restored: 0,
  run,
  passed: 2,
  failed: 1,
  failures: {},
  tokens: 0,
  cost: null,
  runsPerMinute: 0,
});

const failed = (overrides: Partial<RunSummary> = {}): RunSummary => aRun({ success: false, ...overrides });

describe('lines as runs finish (spec F.6, F.8)', () => {
  it('of a test', () => {
    expect(testLine(progress(aRun({ row_index: 2 })))).toBe('[3/10] Row 2: OK (1.5s, 1,024 tokens)');
    const error = `first\nsecond ${'x'.repeat(60)}`;
    expect(testLine(progress(failed({ error })))).toBe(
      `[3/10] Row 0: FAILED (1.5s, 1,024 tokens) - first second ${'x'.repeat(34)}...`,
    );
  });

  it('of an evaluation', () => {
    const run = aRun({ model_tag: 'baseline', scores: { exact: 1, 'a/b.ts:fn': null } });
    expect(evalLine(progress(run))).toBe(
      '[3/10] Row 0 run 0 [baseline]: OK (1.5s, 1,024 tokens) [exact=1.000, a/b.ts:fn=N/A]',
    );
    expect(evalLine(progress(failed()))).toBe('[3/10] Row 0 run 0: FAILED (1.5s, 1,024 tokens) - it broke');
  });
});

describe('the end of a test', () => {
  const runs = [aRun(), failed({ row_index: 1 })];
  const result: TestResult = {
    runs,
    summary: summarizeRuns(runs, { threshold: 1, ks: [] }),
    passed: 1,
    failed: 1,
    durationMs: 2_000,
    cost: 0.5,
    stopReason: 'no key',
  };

  it('as lines', () => {
    expect(testSummary(result)).toEqual([
      'Total: 2',
      'Passed: 1',
      'Failed: 1 (agent: 1)',
      'Duration: 2.0s',
      'Total tokens: 2,048',
      'Cost: $0.5000',
      'Stopped early: no key',
    ]);
  });

  it('as JSON, with the keys of spec F.6', () => {
    const json = testJson(result) as { summary: object; results: object[] };
    expect(json.summary).toMatchObject({
      total: 2,
      passed: 1,
      failed: 1,
      total_duration_ms: 2_000,
      total_tokens: 2_048,
    });
    expect(json.summary).toMatchObject({ stopped_early: true, stop_reason: 'no key', failures_by_class: { agent: 1 } });
    expect(json.results[1]).toMatchObject({
      row_index: 1,
      success: false,
      error: 'it broke',
      duration_ms: 1_500,
      token_usage: { total_tokens: 1_024 },
      reward: null,
      finish_reason: 'stop',
    });
  });
});

describe('gates', () => {
  it('are told with what they were judged by (case ST-06: the bound is never shown rounded to the limit)', () => {
    const report = buildReport(anEvaluation(Array.from({ length: 10 }, (_, row_index) => aRun({ row_index }))));
    const [passed, failing, none] = judgeGates(
      ['pass@1>=0.7', 'pass@1>=0.722', 'pass@9>=0'].map(parseGate),
      report.primary,
    ).map(gateLine);
    expect(passed).toBe('PASSED pass@1>=0.7: lower bound 0.722 of 1 [0.722, 1]');
    expect(failing).toMatch(/^PASSED pass@1>=0\.722: lower bound 0\.7225 of/);
    expect(none).toBe('FAILED pass@9>=0: there is no interval to judge by (N/A)');
  });
});
