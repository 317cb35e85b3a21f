import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Agent, OsmosisModule } from 'nestjs-osmosis';
import { EvalFunction, EvalRunner, EvaluationModule, ScriptedEvaluationModel } from '#evaluation';
import { programOptions, serveBenchmark } from './program.js';

/** Begins an evaluation of a dataset; tells when its first run started. Everything has been read and checked by then. */
const { dataset } = programOptions<{ readonly dataset: string }>();

@Agent({ name: 'bench', tools: [] })
class BenchAgent {}

@Module({ imports: [OsmosisModule.forRoot({ apiKeys: 'k' }), EvaluationModule], providers: [BenchAgent] })
class BenchModule {}

const app = await NestFactory.createApplicationContext(BenchModule, { logger: ['error'] });
let startedAt = 0;
let firstRunMs: number | null = null;
const model = new ScriptedEvaluationModel('scripted:bench', () => {
  firstRunMs ??= performance.now() - startedAt;
  // Nothing but the reading is measured.
  return new Promise(() => {});
});

function start(): true {
  startedAt = performance.now();
  const evalFunctions = [EvalFunction.of('ok', (solutionStr: string) => Number(solutionStr === 'ok'))];
  app
    .get(EvalRunner)
    .run({ dataset: { path: dataset }, model, evalFunctions })
    .catch((error: unknown) => {
      console.error(error);
      process.exit(1);
    });
  return true;
}

serveBenchmark(dataset, { start, firstRunMs: () => firstRunMs }, () => app.close());
