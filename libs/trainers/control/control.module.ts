import { Module, type DynamicModule } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import { ProbesController } from './probes.controller.js';
import { RolloutsController } from './rollouts.controller.js';

/** The routes for operators: status, lists, cancellation, probes. */
@Module({})
export class ControlModule {
  /** @param keys the module that exports the options with the API keys */
  static forRoot(keys: DynamicModule): DynamicModule {
    return {
      module: ControlModule,
      imports: [TerminusModule.forRoot({ logger: false }), keys],
      controllers: [RolloutsController, ProbesController],
    };
  }
}
