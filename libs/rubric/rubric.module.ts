import { Module } from '@nestjs/common';
import { OsmosisDiscoveryModule } from '#discovery';
import { ChatModels } from '#model';
import { PreviewService } from './preview/preview.service.js';
import { ConfigurableRubricModule, RUBRIC_OPTIONS, type RubricModuleOptions } from './rubric.options.js';
import { RubricRewards } from './rubric.rewards.js';
import { RubricRewardSource } from './rubric.source.js';
import { RubricService } from './rubric.service.js';
import { RubricSession } from './runs/rubric.session.js';
import { TrustService } from './trust/trust.service.js';

/** The services are plain classes, which `#rubric/plain` gives to programs without Nest. Here they are put together. */
const SERVICES = [
  {
    provide: RubricService,
    inject: [ChatModels, RUBRIC_OPTIONS],
    useFactory: (models: ChatModels, options: RubricModuleOptions) => new RubricService(models, options),
  },
  {
    provide: RubricSession,
    inject: [RubricService, ChatModels, RUBRIC_OPTIONS],
    useFactory: (service: RubricService, models: ChatModels, options: RubricModuleOptions) =>
      new RubricSession(service, models, options),
  },
  {
    provide: TrustService,
    inject: [RubricService],
    useFactory: (service: RubricService) => new TrustService(service),
  },
  { provide: PreviewService, useFactory: () => new PreviewService() },
  RubricRewards,
  RubricRewardSource,
];

/** Judges. Needs a `ModelModule` in the application, which opens the models. */
@Module({ imports: [OsmosisDiscoveryModule], providers: SERVICES, exports: SERVICES })
export class RubricModule extends ConfigurableRubricModule {}
