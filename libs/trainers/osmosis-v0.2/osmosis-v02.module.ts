import { Module } from '@nestjs/common';
import { TrainerRegistry } from '#rollout';
import { OsmosisV02Controller } from './osmosis-v02.controller.js';
import { OsmosisV02Trainer } from './osmosis-v02.trainer.js';

/**
 * The dialect `osmosis-v0.2`: its routes, and the trainer that answers chat calls and takes completions. Import it beside
 * AgentModule, RolloutModule, TransportModule and TrainerHttpModule, which are global.
 */
@Module({
  controllers: [OsmosisV02Controller],
  providers: [OsmosisV02Trainer],
  exports: [OsmosisV02Trainer],
})
export class OsmosisV02Module {
  constructor(trainers: TrainerRegistry, trainer: OsmosisV02Trainer) {
    trainers.register(trainer);
  }
}
