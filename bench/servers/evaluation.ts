import 'reflect-metadata';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { IsNumber } from 'class-validator';
import { Agent, OsmosisModule, Reward, Tool } from 'nestjs-osmosis';
import { EvalRunner, EvaluationModule, HostedEvaluationModel } from '#evaluation';
import { ChatModels } from '#model';
import { programOptions, serveBenchmark } from './program.js';

/** Evaluates as `osmosis eval` does: two turns and a tool call a run, every run on the disk before it counts. */
interface Options {
  readonly modelUrl: string;
  readonly rows: number;
  readonly concurrency: number;
}

const { modelUrl, rows, concurrency } = programOptions<Options>();

class Operands {
  @IsNumber() a!: number;
  @IsNumber() b!: number;
}

@Agent({ name: 'bench' })
class BenchAgent {
  @Tool({ description: 'Add two numbers' })
  async add({ a, b }: Operands): Promise<number> {
    return a + b;
  }

  @Reward()
  exact(solutionStr: string, groundTruth: string): number {
    return solutionStr.trim() === groundTruth.trim() ? 1 : 0;
  }
}

@Module({ imports: [OsmosisModule.forRoot({ apiKeys: 'k' }), EvaluationModule], providers: [BenchAgent] })
class BenchModule {}

const folder = mkdtempSync(join(tmpdir(), 'osmosis-bench-eval-'));
const dataset = join(folder, 'rows.jsonl');
const line = JSON.stringify({ user_prompt: 'What is 2 + 3?', system_prompt: 'Use the tools.', ground_truth: '5' });
writeFileSync(dataset, `${line}\n`.repeat(rows));

const app = await NestFactory.createApplicationContext(BenchModule, { logger: ['error'] });
const models = new ChatModels({ concurrency });
const model = new HostedEvaluationModel(models, { model: 'bench', baseUrl: modelUrl, apiKey: 'a-key' });
let calls = 0;
let finished = 0;

async function evaluate(): Promise<void> {
  const output = join(folder, `report-${finished}.json`);
  const { report } = await app.get(EvalRunner).run({
    dataset: { path: dataset },
    model,
    concurrency,
    output,
    onProgress: ({ run }) => (calls += run.token_usage.num_llm_calls),
  });
  if (report.primary.failed > 0) throw new Error(`${report.primary.failed} runs failed: ${report.data.runs[0]?.error}`);
  rmSync(output);
  finished++;
}

function start(): true {
  void evaluate().catch((error: unknown) => {
    console.error(error);
    process.exit(1);
  });
  return true;
}

serveBenchmark(modelUrl, { start, calls: () => calls, finished: () => finished }, async () => {
  await models.close();
  await app.close();
  rmSync(folder, { recursive: true });
});
