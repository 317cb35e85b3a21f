import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { IsNumber } from 'class-validator';
import { Agent, OsmosisModule, Reward, RolloutService, Tool, type OsmosisModuleOptions } from 'nestjs-osmosis';
import { LineLogger } from '../../src/serving/line.logger.js';
import { programOptions, serveBenchmark } from './program.js';

/** The server under test: all of it, with API key, idempotency and one log line a rollout. */
interface Options {
  readonly rollouts?: OsmosisModuleOptions['rollouts'];
  readonly apiKey: string;
  /** Whether rollouts are logged. Default true. */
  readonly log?: boolean;
  /** Characters that the tool gives; 0: the sum. */
  readonly toolCharacters?: number;
}

const { rollouts, apiKey, log = true, toolCharacters = 0 } = programOptions<Options>();
const CODE = 'function add(a, b) {\n\treturn "sum: " + (a + b);\n}\n';

class Operands {
  @IsNumber() a!: number;
  @IsNumber() b!: number;
}

@Agent({ name: 'bench' })
class BenchAgent {
  @Tool({ description: 'Add two numbers' })
  async add({ a, b }: Operands): Promise<number | string> {
    return toolCharacters === 0 ? a + b : CODE.repeat(Math.ceil(toolCharacters / CODE.length));
  }

  @Reward()
  exact(solutionStr: string, groundTruth: string): number {
    return solutionStr.trim() === groundTruth.trim() ? 1 : 0;
  }
}

@Module({ imports: [OsmosisModule.forRoot({ rollouts, apiKeys: apiKey })], providers: [BenchAgent] })
class BenchModule {}

const app = await NestFactory.create<NestFastifyApplication>(BenchModule, new FastifyAdapter(), {
  logger: new LineLogger(
    { json: true, colors: false, logLevels: log ? ['log', 'warn', 'error'] : ['error'] },
    'stdout',
  ),
});
await app.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
const service = app.get(RolloutService);
serveBenchmark(
  await app.getUrl(),
  { active: () => service.activeCount, remembered: () => service.completedCount },
  () => app.close(),
);
