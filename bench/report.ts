import 'reflect-metadata';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { chromium } from 'playwright-core';
import { AgentModule, Agent } from '#agent';
import {
  buildReport,
  EvalFunction,
  EvalRunner,
  EvaluationModule,
  loadEvaluation,
  ScriptedEvaluationModel,
  writeHtmlReport,
} from '#evaluation';
import { RewardModule } from '#reward';
import { RolloutModule } from '#rollout';
import { CHROMIUM } from '../test/support/chromium.js';
import { Figures, median, rangeOf } from './support/figures.js';

/** The report to look at, of 10,000 real runs: how long it takes to write, and to open in Chromium until it can be used. */
const ROWS = 2_500;
const RUNS = 4;
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const OPENING = { better: 'less', must: 2_000, aim: 1_000 } as const;
const ANSWER = Array.from({ length: 150 }, (_, index) => `word${index}`).join(' ');

class Talker {}
Agent({ name: 'talker', tools: [] })(Talker);
class BenchModule {}
Module({
  imports: [AgentModule.forRoot({}), RewardModule.forRoot({}), RolloutModule.forRoot({}), EvaluationModule],
  providers: [Talker],
})(BenchModule);

async function evaluate(dataset: string, output: string): Promise<string> {
  const app = await NestFactory.createApplicationContext(BenchModule, { logger: ['error'] });
  let runs = 0;
  const { logPath } = await app.get(EvalRunner).run({
    dataset: { path: dataset },
    model: new ScriptedEvaluationModel('scripted:bench', () => `${runs++ % 3 === 0 ? 'right' : 'wrong'} ${ANSWER}`),
    runsPerRow: RUNS,
    concurrency: 64,
    output,
    evalFunctions: [EvalFunction.of('right', (solutionStr: string) => solutionStr.startsWith('right'))],
  });
  await app.close();
  return logPath ?? '';
}

const folder = mkdtempSync(join(tmpdir(), 'osmosis-bench-report-'));
const figures = new Figures('report');
try {
  const [dataset, page] = [join(folder, 'rows.jsonl'), join(folder, 'page.html')];
  const lines = Array.from({ length: ROWS }, (_, index) =>
    JSON.stringify({ user_prompt: `Question ${index} ${ANSWER}`, system_prompt: 's', ground_truth: 'right' }),
  );
  writeFileSync(dataset, `${lines.join('\n')}\n`);
  const log = await evaluate(dataset, join(folder, 'report.json'));
  const startedAt = performance.now();
  await writeHtmlReport(page, buildReport(await loadEvaluation(log)), log);
  figures.add({ name: 'written in', value: performance.now() - startedAt, unit: 'ms' });
  figures.add({ name: 'size', value: statSync(page).size / 1e6, unit: 'MB' });
  if (CHROMIUM === undefined) throw new Error('There is no Chromium here. Run: apt-get install chromium');
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', '--disable-gpu'] });
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const tab = await browser.newPage();
    const before = performance.now();
    await tab.goto(pathToFileURL(page).href);
    await tab.waitForSelector('html[data-ready=true]');
    times.push(performance.now() - before);
    await tab.close();
  }
  await browser.close();
  figures.add({ name: '10,000 runs open in', value: median(times), unit: 'ms', ...rangeOf(times), goal: OPENING });
} finally {
  rmSync(folder, { recursive: true });
}
figures.print();
