import { Module } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { ProbesController } from './probes.controller.js';
import { RolloutsController } from './rollouts.controller.js';

/** The routes for operators: status, lists, cancellation, probes. Import it beside TrainerHttpModule, which is global. */
@Module({
  imports: [TerminusModule.forRoot({ logger: false })],
  controllers: [RolloutsController, ProbesController],
})
export class ControlModule {}
