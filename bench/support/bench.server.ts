import 'reflect-metadata';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { IsNumber } from 'class-validator';
import { Agent, OsmosisModule, Reward, RolloutService, Tool, type OsmosisModuleOptions } from 'nestjs-osmosis';

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

const rollouts = JSON.parse(process.argv[2] ?? '{}') as NonNullable<OsmosisModuleOptions['rollouts']>;

@Module({ imports: [OsmosisModule.forRoot({ rollouts })], providers: [BenchAgent] })
class BenchModule {}

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
const app = await NestFactory.create<NestFastifyApplication>(BenchModule, new FastifyAdapter(), { logger: ['error'] });
await app.listen({ port: 0, host: '127.0.0.1', backlog: 4096 });
const service = app.get(RolloutService);

/** Answers `memory` with figures, before and after a collection. */
process.on('message', (question) => {
  if (question !== 'memory') return;
  const before = process.memoryUsage();
  collect();
  const after = process.memoryUsage();
  const { activeCount: active, completedCount: remembered } = service;
  process.send?.({
    rss: before.rss,
    heap: before.heapUsed,
    rssAfterGc: after.rss,
    heapAfterGc: after.heapUsed,
    active,
    remembered,
  });
});
process.on('disconnect', () => void app.close().then(() => process.exit(0)));
process.send?.({ url: await app.getUrl() });
