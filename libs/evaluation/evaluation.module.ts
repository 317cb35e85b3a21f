import { Module } from '@nestjs/common';
import { InteractiveRunner } from './interactive/interactive.runner.js';
import { AgentHost } from './run/agent.host.js';
import { EvalRunner } from './run/eval.runner.js';
import { RescoreService } from './run/rescore.service.js';
import { TestRunner } from './run/test.runner.js';

const SERVICES = [AgentHost, EvalRunner, InteractiveRunner, RescoreService, TestRunner];

/** Tests and evaluates the agents of the application that imports it, through the engine that serves them. */
@Module({ providers: SERVICES, exports: SERVICES })
export class EvaluationModule {}
