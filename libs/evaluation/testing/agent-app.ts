import { Logger, Module, type INestApplicationContext, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AgentModule } from '#agent';
import { RewardModule } from '#reward';
import { RolloutModule } from '#rollout';
import { EvaluationModule } from '../evaluation.module.js';

/** A Nest application with these agents, as `osmosis test` starts one. Close it. */
export async function agentApp(...providers: readonly Type[]): Promise<INestApplicationContext> {
  @Module({
    imports: [AgentModule.forRoot({}), RewardModule.forRoot({}), RolloutModule.forRoot({}), EvaluationModule],
    providers: [...providers],
  })
  class EvaluatedModule {}

  Logger.overrideLogger(false);
  return NestFactory.createApplicationContext(EvaluatedModule, { logger: false });
}
