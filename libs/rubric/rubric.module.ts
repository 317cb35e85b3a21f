import { Module } from '@nestjs/common';
import { PreviewService } from './config/preview.service.js';
import { ConfigurableRubricModule } from './rubric.options.js';
import { RubricRewards } from './rubric.rewards.js';
import { RubricService } from './rubric.service.js';
import { RubricSession } from './runs/rubric.session.js';
import { TrustService } from './trust/trust.service.js';

const SERVICES = [RubricService, RubricRewards, PreviewService, RubricSession, TrustService];

/** Judges. Needs a `ModelModule` in the application, which opens the models. */
@Module({ providers: SERVICES, exports: SERVICES })
export class RubricModule extends ConfigurableRubricModule {}
