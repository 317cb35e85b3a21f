import { aRun, anEvaluation } from '../testing/runs.js';
import { buildReport } from './evaluation.report.js';
import { jsonChunks, jsonReport } from './json.report.js';

describe('the JSON report', () => {
  it.each([
    ['no runs', []],
    ['one', [aRun()]],
    ['several rows and runs', [0, 0, 1, 2].map((row_index, run_index) => aRun({ row_index, run_index }))],
  ])('written part by part is the same document: %s', (_name, runs) => {
    const report = buildReport(anEvaluation(runs));
    const text = [...jsonChunks(report)].join('');
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(jsonReport(report))));
    expect(text).toBe(`${JSON.stringify(JSON.parse(text), null, 2)}\n`);
  });

  it.each([
    ['no run', []],
    ['one row', [aRun()]],
    ['runs that all failed', [aRun({ success: false }), aRun({ success: false, run_index: 1 })]],
    ['equal scores', [0, 1, 2].map((row_index) => aRun({ row_index, scores: { exact: 0.5 } }))],
  ])('ST-09: is strict JSON for %s', (_name, runs) => {
    const walk = (value: unknown): void => {
      if (typeof value === 'number') expect(Number.isFinite(value)).toBe(true);
      else if (typeof value === 'object' && value !== null) Object.values(value).forEach(walk);
    };
    walk(jsonReport(buildReport(anEvaluation(runs))));
  });

  it('ST-01: pass@k that cannot be told has no key', () => {
    const data = anEvaluation([aRun(), aRun({ run_index: 1, scores: { exact: 0 } })]);
    const report = buildReport({ ...data, config: { ...data.config, runsPerRow: 2, ks: [1, 2, 5] } });
    const { summary } = jsonReport(report) as { summary: { eval_fns: { exact: object } } };
    expect(summary.eval_fns.exact).toMatchObject({ pass_at_1: 0.5, pass_at_2: 1 });
    expect(summary.eval_fns.exact).not.toHaveProperty('pass_at_5');
  });
});
