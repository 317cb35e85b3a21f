import { aRun, anEvaluation } from '../testing/runs.js';
import { buildReport } from './evaluation.report.js';
import { evalTables } from './report.tables.js';
import { renderTable } from './table.js';
import { evalSummary } from './text.report.js';

const failed = aRun({ success: false, row_index: 2 });

describe('the tables of an evaluation', () => {
  it('performance and scores, with N/A where there is nothing', () => {
    const runs = [aRun(), aRun({ row_index: 1, scores: { exact: 0 } }), failed];
    const report = buildReport(anEvaluation(runs));
    const [performance, scores] = evalTables(report).map(renderTable);
    expect(performance).toBe(
      [
        'Model             | Avg Latency  | Avg Tokens',
        '------------------+--------------+------------',
        'openai/gpt-5-mini | 1.5s         | 1,024',
      ].join('\n'),
    );
    expect(
      scores
        ?.split('\n')
        .at(-1)
        ?.split(/\s+\|\s+/),
    ).toEqual(['exact', 'openai/gpt-5-mini', '0.500 [0, 1]', '0', '1', '0.500', '33.3% [6.1%, 79.2%]', '2', '0']);
    expect(evalSummary(report)).toContain('Failed runs: 1 of 3 (agent: 1)');
    const empty = evalTables(buildReport(anEvaluation([])));
    expect(empty.map(({ rows }) => rows)).toEqual([
      [['openai/gpt-5-mini', 'N/A', 'N/A']],
      [['exact', 'openai/gpt-5-mini', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', '0', '0']],
    ]);
  });

  it('pass@k for repeated runs; slices; the comparison with the baseline', () => {
    const runs = [0, 1].flatMap((row_index) =>
      (['primary', 'baseline'] as const).flatMap((model_tag) =>
        [0, 1].map((run_index) =>
          aRun({
            row_index,
            run_index,
            model_tag,
            scores: { exact: Number(model_tag === 'primary' && run_index <= row_index) },
          }),
        ),
      ),
    );
    const data = anEvaluation(runs, {
      labels: new Map([
        [0, { topic: 'a' }],
        [1, { topic: 'b' }],
      ]),
    });
    const report = buildReport(
      { ...data, config: { ...data.config, runsPerRow: 2, ks: [1, 2] } },
      { sliceBy: ['topic'] },
    );
    const [, scores, repeated, slices, comparison] = evalTables(report);
    expect(scores?.columns.map(({ title }) => title)).toContain('pass@2');
    expect(scores?.rows.map((cells) => [cells[1], cells[8]])).toEqual([
      ['openai/gpt-5-mini', '100.0%'],
      ['openai/old', '0.0%'],
    ]);
    expect(repeated?.columns[2]?.title).toBe('avg@2');
    // Two rows: one passes once in two runs, the other twice.
    expect(repeated?.rows.map((cells) => cells.map((cell) => cell.replace(/ \[.*/, '')))).toEqual([
      ['exact', 'openai/gpt-5-mini', '0.750', '1', '75.0%', '75.0%', '100.0%'],
      ['', '', '', '2', '100.0%', '50.0%', '50.0%'],
      ['exact', 'openai/old', '0', '1', '0.0%', '0.0%', '0.0%'],
      ['', '', '', '2', '0.0%', '0.0%', '0.0%'],
    ]);
    expect(slices).toMatchObject({
      title: 'By topic',
      rows: [
        ['a', '2'],
        ['b', '2'],
      ].map((cells) => expect.arrayContaining(cells)),
    });
    expect(comparison?.rows[0]?.[0]).toBe('exact');
    expect(comparison?.rows[0]?.slice(3)).toEqual(['1 (rows 1)', '0']);
  });
});
