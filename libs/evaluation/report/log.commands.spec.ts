import { appendFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { INestApplicationContext } from '@nestjs/common';
import { EvalFunction, EvalRunner, RescoreService, ScriptedEvaluationModel, type EvalOptions } from '../run/index.js';
import { finalRuns } from '../run/log/log.reader.js';
import { agentApp } from '../testing/agent-app.js';
import { AdderAgent, echo, MoodyAgent } from '../testing/calculator.js';
import { collect, DatasetFiles, jsonl, row } from '../testing/dataset-files.js';
import { curriculumLines, selectCurriculum } from './curriculum.js';
import { loadEvaluation } from './evaluation.loader.js';
import { buildReport } from './evaluation.report.js';
import { jsonReport } from './json.report.js';

const files = new DatasetFiles();
let app: INestApplicationContext;
beforeAll(async () => {
  app = await agentApp(AdderAgent, MoodyAgent);
});
afterAll(async () => {
  await app.close();
  files.remove();
});

let outputs = 0;
const newOutput = (): string => join(files.folder, `out-${++outputs}.json`);
const dataset = {
  path: files.write(
    'rows.jsonl',
    jsonl(
      row('say 1', '1', { topic: 'a', id: 12 }),
      row('say 0', '1', { topic: 'b' }),
      row('throw', '1', { topic: 'b' }),
      row('flip', '1', { topic: 'a' }),
    ),
  ),
};

let flips = 0;
/** Says what it is told to, and to `flip` 0 and 1 in turn. */
const model = new ScriptedEvaluationModel('scripted:flip', ({ messages }) => {
  const question = String(messages.at(-1)?.content);
  return question === 'flip' ? String(flips++ % 2) : question.slice('say '.length);
});

async function evaluate(options: Partial<EvalOptions> = {}): Promise<string> {
  const result = await app
    .get(EvalRunner)
    .run({ dataset, agent: 'moody', model, runsPerRow: 2, concurrency: 1, output: newOutput(), ...options });
  return result.logPath ?? '';
}

describe('an evaluation from its log', () => {
  it('has the report that its runner gave', async () => {
    const output = newOutput();
    const log = await evaluate({ output, sliceBy: ['topic'] });
    const data = await loadEvaluation(log, ['topic']);
    const loaded = JSON.parse(JSON.stringify(jsonReport(buildReport(data, { sliceBy: ['topic'] }))));
    const written = JSON.parse(readFileSync(output, 'utf8'));
    expect({ ...loaded.summary, total_duration_ms: 0 }).toEqual({ ...written.summary, total_duration_ms: 0 });
    expect([loaded.config, loaded.rows]).toEqual([written.config, written.rows]);
  });

  it('can be read while, and after, its process was ended', async () => {
    const log = await evaluate();
    const lines = readFileSync(log, 'utf8').split('\n');
    const torn = files.write('torn.runs.jsonl', `${lines.slice(0, -3).join('\n')}\n{"type":"run","row`);
    expect(await loadEvaluation(torn)).toMatchObject({ stopReason: 'its process was ended', runs: { length: 7 } });
  });

  it('is compared with another one over the same rows', async () => {
    const [log, other] = [await evaluate(), await evaluate({ model: echo() })];
    const report = buildReport(await loadEvaluation(log), {
      against: [{ name: 'other', data: await loadEvaluation(other) }],
    });
    expect(report.others[0]?.comparisons.get('score')).toMatchObject({
      gained: [],
      lost: [],
      meanDifference: { rows: 2 },
    });
  });

  it('can be held against another threshold', async () => {
    const report = buildReport(await loadEvaluation(await evaluate()), { threshold: 0 });
    expect(report.primary.main).toMatchObject({ attempts: 8, passes: 6 });
  });

  it('a file that is none is told', async () => {
    await expect(loadEvaluation(dataset.path)).rejects.toThrow('line 1 is none of a result log');
  });
});

describe('rescoring', () => {
  it('scores saved conversations with the rewards as they are now; no model, no agent is asked', async () => {
    const log = await evaluate();
    const before = await collect(finalRuns(log));
    const calls: string[] = [];
    const output = newOutput();
    const { logPath: rescored, stopReason } = await app.get(RescoreService).rescore({
      log,
      output,
      concurrency: 1,
      evalFunctions: [
        EvalFunction.of('seen', (messages: readonly unknown[], truth: string, each: Record<string, unknown>) => {
          calls.push(`${String(each['topic'])} ${truth}`);
          return messages.length;
        }),
      ],
    });
    expect(stopReason).toBeNull();
    const after = await collect(finalRuns(rescored));
    expect(after.map(({ rollout_id, success, messages }) => [rollout_id, success, messages])).toEqual(
      before.map(({ rollout_id, success, messages }) => [rollout_id, success, messages]),
    );
    expect(after.filter(({ success }) => success).map(({ scores }) => scores)).toEqual(
      [1, 1, 0, 0, 0, 1].map((score) => ({ score, seen: 3 })),
    );
    expect(calls).toHaveLength(6);
    expect(await collect(finalRuns(log))).toEqual(before);
    expect((await loadEvaluation(rescored)).config.scorers).toEqual(['score', 'seen']);
  });
});

describe('the curriculum', () => {
  it('0 < mean < 1: rows that are neither always nor never solved, as they were in the dataset', async () => {
    const log = await evaluate();
    const selected = await selectCurriculum({ log, keep: '0 < mean < 1' });
    expect(selected).toEqual({ rows: 4, kept: [3], scorer: 'score' });
    expect((await curriculumLines(log, selected)).join('')).toBe(jsonl(row('flip', '1', { topic: 'a' })));
  });

  it('a scorer that there is not is told', async () => {
    const request = { log: await evaluate(), keep: 'mean > 0', scorer: 'exakt' };
    await expect(selectCurriculum(request)).rejects.toThrow("There is no scorer 'exakt'. Scorers: score.");
  });

  it.each([
    ['pass_rate >= 1', [0]],
    ['errors > 0', [2]],
    ['mean <= 1', [0, 1, 3]],
    ['n >= 2 and pass_rate < 1', [1, 2, 3]],
  ])('%s', async (keep, kept) => {
    expect((await selectCurriculum({ log: await evaluate(), keep })).kept).toEqual(kept);
  });

  it('keeps the order of the dataset, whatever order the runs were finished in', async () => {
    const log = await evaluate();
    const [header = '', ...rest] = readFileSync(log, 'utf8').trimEnd().split('\n');
    const shuffled = files.write('shuffled.runs.jsonl', `${header}\n`);
    const rows = rest.filter((line) => line.includes('"type":"row"')).reverse();
    const others = rest.filter((line) => !line.includes('"type":"row"'));
    appendFileSync(shuffled, `${[...rows, ...others].join('\n')}\n`);
    const lines = await curriculumLines(shuffled, await selectCurriculum({ log: shuffled, keep: 'n > 0' }));
    expect(lines.join('')).toBe(readFileSync(dataset.path, 'utf8'));
  });
});
