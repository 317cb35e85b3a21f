import { Module } from '@nestjs/common';
import { OsmosisDiscoveryModule } from '#discovery';
import { ChatModels } from '#model';
import { ConfigurableRubricModule, RUBRIC_OPTIONS, type RubricModuleOptions } from './rubric.options.js';
import { RubricRewards } from './rubric.rewards.js';
import { RubricRewardSource } from './rubric.source.js';
import { RubricService } from './rubric.service.js';

/** What scores rollouts. Files, sessions and trust are the command line's: `#rubric/plain`, without Nest. */
const SERVICES = [
  {
    provide: RubricService,
    inject: [ChatModels, RUBRIC_OPTIONS],
    useFactory: (models: ChatModels, options: RubricModuleOptions) => new RubricService(models, options),
  },
  RubricRewards,
  RubricRewardSource,
];

/** Judges. Needs a `ModelModule` in the application, which opens the models. */
@Module({ imports: [OsmosisDiscoveryModule], providers: SERVICES, exports: SERVICES })
export class RubricModule extends ConfigurableRubricModule {}
