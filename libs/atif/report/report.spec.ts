import type { ChatMessage, ReportedCall, SampleReport, TrajectoryReport } from '#domain';
import { atifFaults } from '../check/atif-faults.js';
import type { AtifDocument } from '../document.js';
import { aRollout, TOOL_TURN } from '../fixtures/a-rollout.js';
import { trajectoryDocument } from '../trajectory-document.js';
import { applyReport } from './apply-report.js';
import { readTrajectoryReport } from './read-report.js';

const INLINE = { usage: { prompt_tokens: 1, completion_tokens: 2, cached_tokens: 3 }, model: 'inline' };
const MESSAGES: readonly ChatMessage[] = [
  { role: 'user', content: '1 + 1?' },
  { ...TOOL_TURN[0], ...INLINE },
  TOOL_TURN[1] as ChatMessage,
  { role: 'assistant', content: '2' },
];
const FIRST: ReportedCall = { prompt_tokens: 12, completion_tokens: 4, logprobs: [-0.7] };
const SECOND: ReportedCall = { prompt_tokens: 20, cost_usd: 0.5, model_name: 'second' };

function reported(sample: Partial<SampleReport>, more: Partial<TrajectoryReport> = {}) {
  const report = { samples: { any: { llm_call_metrics: [], ...sample } }, ...more };
  const before = trajectoryDocument(aRollout(MESSAGES)) as AtifDocument;
  const untouched = JSON.stringify(before);
  const { document, warnings } = applyReport(before, report);
  expect(JSON.stringify(before)).toBe(untouched);
  expect(atifFaults(document)).toEqual([]);
  return { document, warnings, osmosis: document.extra?.['osmosis'] };
}

describe('spec 0.3, 8.8: a report laid over a document', () => {
  it('as many calls as turns: each has its own, over what was known', () => {
    const { document, warnings } = reported({ llm_call_metrics: [FIRST, SECOND], model_name: 'entry' });
    expect(warnings).toEqual([]);
    expect(document.steps[1]).toMatchObject({
      model_name: 'inline',
      metrics: { prompt_tokens: 12, completion_tokens: 4, cached_tokens: 3, logprobs: [-0.7] },
      llm_call_count: 1,
    });
    expect(document.steps[2]).toEqual({
      step_id: 3,
      source: 'agent',
      model_name: 'second',
      message: '2',
      metrics: { prompt_tokens: 20, cost_usd: 0.5 },
      llm_call_count: 1,
    });
    expect(document.final_metrics).toEqual({
      total_prompt_tokens: 32,
      total_completion_tokens: 4,
      total_cost_usd: 0.5,
      total_steps: 3,
    });
    expect(document.agent.model_name).toBe('entry');
  });

  it('another number of calls: none is attributed, all are kept and summed', () => {
    const { document, osmosis } = reported({ llm_call_metrics: [FIRST] });
    expect(document.steps[1]?.metrics).toMatchObject({ prompt_tokens: 1 });
    expect(osmosis).toMatchObject({ unmatched_llm_call_metrics: [FIRST] });
    expect(document.final_metrics).toEqual({ total_prompt_tokens: 12, total_completion_tokens: 4, total_steps: 3 });
  });

  it.each([999, -1, 'x'])('reported totals are taken, but for %p steps', (total_steps) => {
    const { document } = reported({
      llm_call_metrics: [FIRST],
      final_metrics: { total_prompt_tokens: 7, total_steps },
    });
    expect(document.final_metrics).toEqual({ total_prompt_tokens: 7, total_steps: 3 });
  });

  it.each([[{ total_prompt_tokens: 1.5 }], [{ total_cost_usd: 'x' }], [{ other: 1 }]])(
    'totals %j are invalid: a warning, and the sums',
    (final_metrics) => {
      const { document, warnings } = reported({ llm_call_metrics: [FIRST], final_metrics });
      expect(warnings).toEqual(['The final_metrics of the report are invalid.']);
      expect(document.final_metrics).toMatchObject({ total_prompt_tokens: 12 });
    },
  );

  it('several samples: a warning, all are kept, none applies', () => {
    const samples = { a: { llm_call_metrics: [FIRST] }, b: { llm_call_metrics: [] } };
    const { document, warnings, osmosis } = reported({}, { samples, model_name: 'report' });
    expect(warnings).toEqual(['The report has 2 samples, so that none can be attributed.']);
    expect(osmosis).toMatchObject({ unmatched_sample_reports: samples });
    expect(document.agent.model_name).toBe('inline');
    expect(document.final_metrics).toMatchObject({ total_prompt_tokens: 1 });
  });

  it('the model of the sample wins over the report’s, and that over the turns’', () => {
    expect(reported({ model_name: 'entry' }, { model_name: 'report' }).document.agent.model_name).toBe('entry');
    expect(reported({}, { model_name: 'report' }).document.agent.model_name).toBe('report');
    expect(reported({}).document.agent.model_name).toBe('inline');
    expect(reported({}, { samples: {}, model_name: 'report' }).document.agent.model_name).toBe('report');
  });
});

describe('spec 0.3, 1.10: readTrajectoryReport', () => {
  const read = (trajectory: unknown) => readTrajectoryReport(JSON.stringify({ ok: true, trajectory }));

  it.each([
    '',
    'ok',
    '{"ok": true}',
    '[{"trajectory": {}}]',
    '{"trajectory": null}',
    '{"trajectory": {',
    '"trajectory"',
  ])('%s reports nothing', (body) => {
    expect(readTrajectoryReport(body)).toEqual({ report: null, fault: null });
  });

  it('reads all fields, passes over unknown ones, and takes numbers as text', () => {
    const call = {
      prompt_tokens: '311',
      completion_tokens: 27,
      cached_tokens: null,
      cost_usd: 0.0011,
      prompt_token_ids: [9, 8],
      completion_token_ids: [6],
      logprobs: [-0.73, 0],
      model_name: 'm',
      extra: { a: null },
      later: 'x',
    };
    const sample = { model_name: 'm', llm_call_metrics: [call], final_metrics: { total_prompt_tokens: 311 }, later: 1 };
    const { cached_tokens: _, later: __, ...known } = call;
    expect(read({ model_name: 'openai/gpt-5-mini', samples: { s: sample }, later: true })).toEqual({
      report: {
        model_name: 'openai/gpt-5-mini',
        samples: {
          s: {
            model_name: 'm',
            llm_call_metrics: [{ ...known, prompt_tokens: 311 }],
            final_metrics: { total_prompt_tokens: 311 },
          },
        },
      },
      fault: null,
    });
    expect(read({}).report).toEqual({ samples: {} });
  });

  it.each([
    ['text', 'trajectory is no object'],
    [[], 'trajectory is no object'],
    [{ samples: [] }, 'trajectory.samples is no object'],
    [{ model_name: 5 }, 'trajectory.model_name is no text'],
    [{ samples: { s: { llm_call_metrics: {} } } }, 'trajectory.samples.s.llm_call_metrics is no list'],
    [
      { samples: { s: { llm_call_metrics: [{ logprobs: [0, null] }] } } },
      'trajectory.samples.s.llm_call_metrics[0].logprobs[1] is no number',
    ],
    [
      { samples: { s: { llm_call_metrics: [{ prompt_tokens: 1.5 }] } } },
      'trajectory.samples.s.llm_call_metrics[0].prompt_tokens is no whole number',
    ],
    [
      { samples: { s: { llm_call_metrics: [{ cost_usd: 'NaN' }] } } },
      'trajectory.samples.s.llm_call_metrics[0].cost_usd is no finite number',
    ],
  ])('%j is no report: %s', (trajectory, fault) => {
    expect(read(trajectory)).toEqual({ report: null, fault });
  });
});
