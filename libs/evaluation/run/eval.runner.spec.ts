import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { Cancellation, OsmosisError } from '#domain';
import { ProviderRequestError } from '#model';
import { agentApp } from '../testing/agent-app.js';
import { adder, AdderAgent, addingScript, echo, MoodyAgent, PlainAgent } from '../testing/calculator.js';
import { collect, DatasetFiles, jsonl, row } from '../testing/dataset-files.js';
import { jsonReport } from '../report/json.report.js';
import { parseGate } from '../statistics/index.js';
import type { EvalOptions } from './eval.options.js';
import type { EvalResult } from './eval.results.js';
import { EvalRunner } from './eval.runner.js';
import { finalRuns } from './log/log.reader.js';
import { ScriptedEvaluationModel } from './models/scripted.model.js';
import type { RunProgress } from './progress.js';
import type { RunStart } from './run.options.js';
import { EvalFunction } from './scoring/eval.function.js';

const files = new DatasetFiles();
let app: INestApplicationContext;
let runner: EvalRunner;

beforeAll(async () => {
  app = await agentApp(AdderAgent, PlainAgent, MoodyAgent);
  runner = app.get(EvalRunner);
});
afterAll(async () => {
  await app.close();
  files.remove();
});

let outputs = 0;
const newOutput = (): string => join(files.folder, `out-${++outputs}/report.json`);
const write = (...rows: readonly unknown[]): { path: string } => ({
  path: files.write(`rows-${++outputs}.jsonl`, jsonl(...rows)),
});
const sums = (count: number): { path: string } =>
  write(...Array.from({ length: count }, (_, index) => row(`What is ${index} + 3?`, String(index + 3))));

const evaluate = (options: Partial<EvalOptions>): Promise<EvalResult> =>
  runner.run({ dataset: sums(2), model: adder(), ...options });
const scorer = (result: EvalResult, name: string) => {
  const found = result.report.primary.scorers.find((each) => each.name === name);
  if (!found) throw new Error(`no scorer ${name}`);
  return found;
};
const fn = (
  name: string,
  value: (messages: readonly unknown[], truth: string, row: Record<string, unknown>) => unknown,
) => EvalFunction.of(name, value);

/** Says `1` in every second call. */
const alternating = (): ScriptedEvaluationModel => {
  let calls = 0;
  return new ScriptedEvaluationModel('scripted:alternating', () => String(calls++ % 2));
};

describe('evaluating (spec F.8, G-F)', () => {
  it("scores by the agent's rewards and by eval functions, simple and full; these see the whole row", async () => {
    const seen: unknown[] = [];
    const result = await evaluate({
      evalFunctions: [
        fn('full', (messages, _truth, each) => {
          seen.push(each['user_prompt']);
          return messages.length;
        }),
        EvalFunction.of('simple', (solutionStr: string) => solutionStr.length),
      ],
    });
    expect(seen.sort()).toEqual(['What is 0 + 3?', 'What is 1 + 3?']);
    expect(result.report.data.runs[0]).toMatchObject({
      scores: { exact: 1, full: 5, simple: 1 },
      rollout_id: 'eval-0-run-0',
    });
  });

  it('2 rows × 2 runs that pass in turn: mean .5, pass@1 there, pass@5 not', async () => {
    const result = await evaluate({ agent: 'moody', model: alternating(), runsPerRow: 2, concurrency: 1, ks: [1, 5] });
    expect(scorer(result, 'score')).toMatchObject({ mean: { value: 0.5 }, passRate: { value: 0.5 } });
    const json = jsonReport(result.report) as { summary: { eval_fns: { score: object } } };
    expect(json.summary.eval_fns.score).toHaveProperty('pass_at_1', 0.5);
    expect(json.summary.eval_fns.score).not.toHaveProperty('pass_at_5');
  });

  it('one run of each row: no pass@k (spec G-F), but a pass rate', async () => {
    const json = jsonReport((await evaluate({})).report) as { summary: { eval_fns: { exact: object } } };
    expect(json.summary.eval_fns.exact).not.toHaveProperty('pass_at_1');
    expect(json.summary.eval_fns.exact).toMatchObject({ estimates: { pass_rate: { value: 1, rows: 2 } } });
  });

  it('4 rows × 2 runs, three at once: 8 runs, in the order of rows and runs', async () => {
    const { report } = await evaluate({ dataset: sums(4), runsPerRow: 2, concurrency: 3 });
    expect(report.data.runs.map(({ row_index, run_index }) => [row_index, run_index])).toEqual([
      [0, 0],
      [0, 1],
      [1, 0],
      [1, 1],
      [2, 0],
      [2, 1],
      [3, 0],
      [3, 1],
    ]);
  });

  it('a failing eval function is counted and gives no 0; the run and the other scorers stand', async () => {
    const result = await evaluate({
      evalFunctions: [
        fn('raises', (messages) => {
          throw new Error(`cannot read ${messages.length}`);
        }),
        fn('text', (messages) => String(messages.length)),
      ],
    });
    expect(scorer(result, 'raises')).toMatchObject({
      scored: 0,
      scorerErrors: 2,
      mean: { value: null },
      passRate: { value: null },
    });
    expect(scorer(result, 'text')).toMatchObject({ scorerErrors: 2 });
    expect(scorer(result, 'exact')).toMatchObject({ scored: 2, mean: { value: 1 } });
    expect(result.report.data.runs[0]).toMatchObject({
      success: true,
      score_errors: { raises: 'raises failed: cannot read 5' },
    });
    expect(result.report.warnings).toContain(
      'raises failed on 2 of 2 runs. They have no score by it and are not in its figures.',
    );
  });

  it('ST-03: failed runs are counted by row and over all; agent faults did not pass, nothing is scored 0', async () => {
    const dataset = write(row('throw', '1'), row('say 1', '1'), row('say 1', '1'));
    const result = await evaluate({ dataset, agent: 'moody', model: echo(), runsPerRow: 4 });
    expect(result.report.primary).toMatchObject({
      runs: 12,
      failed: 4,
      failures: { agent: 4 },
      errorRate: { value: 1 / 3 },
    });
    expect(scorer(result, 'score')).toMatchObject({ scored: 8, attempts: 12, passes: 8, mean: { value: 1 } });
    expect(scorer(result, 'score').passRate.value).toBeCloseTo(2 / 3, 12);
    const { rows } = jsonReport(result.report) as {
      rows: { n_total: number; n_error: number; runs: { scores: object }[] }[];
    };
    expect(rows.map(({ n_total, n_error }) => [n_total, n_error])).toEqual([
      [4, 4],
      [4, 0],
      [4, 0],
    ]);
    expect(rows[0]?.runs[0]?.scores).toEqual({});
  });

  it('faults of the environment tell nothing of the agent: they are in no pass figure', async () => {
    const model = new ScriptedEvaluationModel('scripted:refuses', ({ messages }) => {
      if (String(messages.at(-1)?.content).includes('bad')) {
        throw new ProviderRequestError({ kind: 'refused', provider: 'p', model: 'm', detail: 'no' });
      }
      return '1';
    });
    const result = await evaluate({ dataset: write(row('say bad'), row('say 1')), agent: 'moody', model });
    expect(result.report.primary).toMatchObject({ failed: 1, failures: { model: 1 } });
    expect(scorer(result, 'score')).toMatchObject({ attempts: 1, passRate: { value: 1, rows: 1 } });
  });

  it('a baseline runs on the same rows, tagged, and is compared row by row; the summary is the primary one', async () => {
    const wrong = new ScriptedEvaluationModel('scripted:wrong', () => '0');
    const { report } = await evaluate({ baseline: wrong, concurrency: 1 });
    expect(report.data.runs.map(({ model_tag, rollout_id }) => [model_tag, rollout_id])).toEqual([
      ['primary', 'eval-0-run-0-primary'],
      ['baseline', 'eval-0-run-0-baseline'],
      ['primary', 'eval-1-run-0-primary'],
      ['baseline', 'eval-1-run-0-baseline'],
    ]);
    const json = jsonReport(report) as {
      summary: object;
      model_summaries: { model_tag: string; eval_fns: { exact: { mean: number } } }[];
    };
    expect(json.summary).toMatchObject({
      eval_fns: { exact: { mean: 1 } },
      comparisons: [
        {
          with: 'scripted:wrong',
          kind: 'baseline',
          total_runs: 2,
          eval_fns: { exact: { mean_difference: { value: 1 }, gained: [0, 1], lost: [] } },
        },
      ],
    });
    expect(json.model_summaries.map(({ model_tag, eval_fns }) => [model_tag, eval_fns.exact.mean])).toEqual([
      ['primary', 1],
      ['baseline', 0],
    ]);
  });

  it('splits by columns', async () => {
    const dataset = write(
      row('say 1', '1', { topic: 'a' }),
      row('say 0', '1', { topic: 'b' }),
      row('say 1', '1', { topic: 'a' }),
      row('say 0'),
    );
    const { report } = await evaluate({ dataset, agent: 'moody', model: echo(), sliceBy: ['topic'] });
    expect(report.slices.map(({ value, summary }) => [value, summary.runs, summary.main?.mean.value])).toEqual([
      ['a', 2, 1],
      ['b', 1, 0],
      ['(none)', 1, 0],
    ]);
  });

  it('a column that no row has is told', async () => {
    const { report } = await evaluate({ sliceBy: ['topicc'] });
    expect(report.warnings).toContain("No row has a column 'topicc' to split the results by.");
  });

  it('gates hold the bound against the limit', async () => {
    const gates = [parseGate('pass@1>=0.5'), parseGate('exact.mean>=1'), parseGate('error_rate<=0.5')];
    const { report, gatesPassed } = await evaluate({ dataset: sums(10), gates });
    expect(report.gates.map(({ passed }) => passed)).toEqual([true, true, true]);
    expect(gatesPassed).toBe(true);
    // All of ten passed: the lower bound of Wilson's interval is 0.7225.
    expect((await evaluate({ dataset: sums(10), gates: [parseGate('pass@1>=0.8')] })).gatesPassed).toBe(false);
  });

  it('RS-17: answers that are all empty are told', async () => {
    const model = new ScriptedEvaluationModel('scripted:empty', () => '');
    const { report } = await evaluate({ model });
    expect(report.warnings[0]).toContain('2 of 2 answers were empty.');
  });

  it('ST-11: a constant reward is told', async () => {
    const { report } = await evaluate({ runsPerRow: 2 });
    expect(report.warnings).toEqual([
      'zero variance: exact gave all runs of a row the same score, in every row. Training on it would teach nothing.',
    ]);
  });

  it.each([
    ['ST-08: nothing to score by', { agent: 'plain' }, "agent 'plain' has nothing to be scored by"],
    ['no runs', { runsPerRow: 0 }, 'n must be a whole number from 1, not 0'],
    ['a threshold that is none', { threshold: NaN }, 'pass-threshold must be a number'],
    [
      'a gate on an unknown scorer',
      { gates: [parseGate('other.mean>0')] },
      "there is no scorer 'other'. Scorers: exact",
    ],
    [
      'a name that is taken',
      { evalFunctions: [fn('exact', (messages) => messages.length)] },
      "'exact' is the name of a reward of the agent and of an eval function",
    ],
  ] as [string, Partial<EvalOptions>, string][])(
    '%s stops it before the first call',
    async (_name, options, message) => {
      const script = jest.fn(addingScript);
      await expect(evaluate({ model: new ScriptedEvaluationModel('spy', script), ...options })).rejects.toThrow(
        message,
      );
      expect(script).not.toHaveBeenCalled();
    },
  );
});

describe('results on disk', () => {
  it('a report with the keys of spec F.8, strict JSON, and every conversation beside it', async () => {
    const output = newOutput();
    const result = await evaluate({ output, runsPerRow: 2 });
    expect([result.reportPath, result.logPath]).toEqual([output, output.replace('.json', '.runs.jsonl')]);
    const json = JSON.parse(readFileSync(output, 'utf8'));
    expect(json).toEqual(JSON.parse(JSON.stringify(jsonReport(result.report))));
    expect(json.config).toMatchObject({ model: 'scripted:adder', n_runs: 2, pass_threshold: 1, eval_fns: ['exact'] });
    expect(json.summary).toMatchObject({ total_rows: 2, total_runs: 4, stopped_early: false });
    expect(json.rows[1].runs[1]).toMatchObject({ run_index: 1, success: true, scores: { exact: 1 } });
    const runs = await collect(finalRuns(result.logPath ?? ''));
    expect(runs).toHaveLength(4);
    expect(runs[0]?.messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool', 'assistant']);
  });

  it('CL-24: a target that cannot be written is told before the first call; a missing folder is made', async () => {
    const script = jest.fn(addingScript);
    const model = new ScriptedEvaluationModel('spy', script);
    mkdirSync(join(files.folder, 'folder.json'));
    const file = files.write('file', '');
    const there = files.write('there.json', '{}');
    await expect(evaluate({ model, output: join(files.folder, 'folder.json') })).rejects.toThrow('is a directory');
    await expect(evaluate({ model, output: join(file, 'x.json') })).rejects.toThrow('cannot be written');
    await expect(evaluate({ model, output: there })).rejects.toThrow('is there already');
    expect(script).not.toHaveBeenCalled();
    expect(readFileSync(there, 'utf8')).toBe('{}');
    expect(existsSync((await evaluate({ output: newOutput() })).reportPath ?? '')).toBe(true);
  });

  it('ST-04: 3 good and 2 failed of 10; resumed, 7 are made, and good ones are not called again', async () => {
    const output = newOutput();
    const dataset = write(...Array.from({ length: 10 }, (_, index) => row(`say ${index}`)));
    const asked: string[] = [];
    let isWell = false;
    const model = new ScriptedEvaluationModel('scripted:moody', ({ messages }) => {
      const question = String(messages.at(-1)?.content);
      asked.push(question);
      if (!isWell && question === 'say 5') {
        throw new ProviderRequestError({ kind: 'authentication', provider: 'p', model: 'm', detail: 'key' });
      }
      if (!isWell && question === 'say 3') {
        throw new ProviderRequestError({ kind: 'refused', provider: 'p', model: 'm', detail: 'no' });
      }
      return '1';
    });
    // Rows 0, 1, 2, 4 are good, 3 is refused, 5 stops it.
    const first = await evaluate({ dataset, agent: 'moody', model, output, concurrency: 1 });
    expect(first.report.data.stopReason).toContain('key');
    expect(first.report.primary).toMatchObject({ runs: 6, failed: 2 });
    isWell = true;
    asked.length = 0;
    const starts: RunStart[] = [];
    const progress: RunProgress[] = [];
    const second = await evaluate({
      dataset,
      agent: 'moody',
      model,
      output,
      mode: 'resume',
      onStart: (start) => starts.push(start),
      onProgress: (each) => progress.push(each),
    });
    expect(starts[0]).toMatchObject({ total: 10, restored: 4, retried: 2 });
    expect(asked.sort()).toEqual(['say 3', 'say 5', 'say 6', 'say 7', 'say 8', 'say 9']);
    expect(progress.map(({ done }) => done)).toEqual([5, 6, 7, 8, 9, 10]);
    expect(second.report.primary).toMatchObject({ runs: 10, failed: 0 });
    expect(second.report.data.startedAt).toBe(first.report.data.startedAt);
    expect(second.report.data.durationMs).toBeGreaterThan(first.report.data.durationMs);
  });

  it('a cancellation keeps what is finished; resumed, the rest is made', async () => {
    const output = newOutput();
    const dataset = write(...Array.from({ length: 8 }, () => row('say 1')));
    const cancellation = new Cancellation();
    let calls = 0;
    const model = new ScriptedEvaluationModel('scripted:counting', () => {
      if (++calls === 4) cancellation.cancel(new OsmosisError('CANCELLED', 'Interrupted.'));
      return '1';
    });
    const options = { dataset, agent: 'moody', model, output, concurrency: 1 };
    const first = await evaluate({ ...options, cancellation });
    expect(first.report.data).toMatchObject({ stopReason: 'Interrupted.', runs: { length: 3 } });
    const second = await evaluate({ ...options, mode: 'resume' });
    expect(second.report.data).toMatchObject({ stopReason: null, runs: { length: 8 } });
    expect(calls).toBe(9);
  });

  it('resuming what is finished calls nobody, not even for a word', async () => {
    const output = newOutput();
    await evaluate({ output });
    const model = adder();
    const preflight = jest.spyOn(model, 'preflight');
    const { report } = await evaluate({ model, output, mode: 'resume' });
    expect(preflight).not.toHaveBeenCalled();
    expect(report.primary.runs).toBe(2);
  });

  it.each([
    ['dataset', { dataset: { path: files.write('other.jsonl', jsonl(row('What is 1 + 1?'))) } }, 'dataset.sha256 was'],
    ['model', { model: echo() }, 'model.model was "scripted:adder", is "scripted:echo"'],
    ['parameters', { limits: { maxTurns: 3 } }, 'parameters.max_turns was 10, is 3'],
    ['runs', { runsPerRow: 3 }, 'parameters.n was 1, is 3'],
    ['agent', { agentVersion: '2' }, 'agent.version was null, is "2"'],
    [
      'eval functions',
      { evalFunctions: [fn('full', (messages) => messages.length)] },
      'scorers was ["exact"], is ["exact","full"]',
    ],
  ] as [string, Partial<EvalOptions>, string][])(
    'refuses to resume when the %s changed',
    async (_name, changed, message) => {
      const output = newOutput();
      await evaluate({ output });
      await expect(evaluate({ output, mode: 'resume', ...changed })).rejects.toThrow(message);
    },
  );

  it('another threshold or concurrency is no other evaluation', async () => {
    const output = newOutput();
    await evaluate({ output });
    await evaluate({ output, mode: 'resume', threshold: 0.5, concurrency: 9, gates: [parseGate('mean>0')] });
  });

  it('begun anew keeps the old results aside', async () => {
    const output = newOutput();
    await evaluate({ output });
    await expect(evaluate({ output })).rejects.toThrow('is there already');
    const { logPath } = await evaluate({ output, mode: 'fresh' });
    expect(existsSync(`${logPath}.1`)).toBe(true);
  });

  it('a conversation that has no JSON form fails its run only', async () => {
    const evalFunctions = [
      fn('spoils', (messages, truth) => {
        if (truth === '3') (messages as unknown[]).push({ role: 'tool', content: 1n });
        return 1;
      }),
    ];
    const { report, logPath } = await evaluate({ output: newOutput(), evalFunctions });
    expect(report.data.runs.map(({ success, blame }) => [success, blame])).toEqual([
      [false, 'agent'],
      [true, null],
    ]);
    expect(report.data.runs[0]?.error).toContain(
      'The conversation cannot be kept: Do not know how to serialize a BigInt',
    );
    expect(await collect(finalRuns(logPath ?? ''))).toHaveLength(2);
  });
});
