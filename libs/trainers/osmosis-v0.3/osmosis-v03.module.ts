import { Module } from '@nestjs/common';
import { TrainerRegistry } from '#rollout';
import { OsmosisV03Controller } from './osmosis-v03.controller.js';
import { OsmosisV03Trainer } from './osmosis-v03.trainer.js';

/**
 * The dialect `osmosis-v0.3`: its routes, and the trainer that answers chat calls and takes both callbacks. Import it
 * beside AgentModule, RolloutModule, TransportModule and TrainerHttpModule, which are global.
 */
@Module({
  controllers: [OsmosisV03Controller],
  providers: [OsmosisV03Trainer],
  exports: [OsmosisV03Trainer],
})
export class OsmosisV03Module {
  constructor(trainers: TrainerRegistry, trainer: OsmosisV03Trainer) {
    trainers.register(trainer);
  }
}
