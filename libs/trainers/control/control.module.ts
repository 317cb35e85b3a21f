import { Module } from '@nestjs/common';
import { HealthChecks } from './health.checks.js';
import { ProbesController } from './probes.controller.js';
import { RolloutsController } from './rollouts.controller.js';

/** The routes for operators: status, lists, cancellation, probes. Import it beside TrainerHttpModule, which is global. */
@Module({
  controllers: [RolloutsController, ProbesController],
  providers: [HealthChecks],
})
export class ControlModule {}
