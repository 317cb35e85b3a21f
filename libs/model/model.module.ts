import { Module } from '@nestjs/common';
import { ChatModels } from './chat-models.service.js';
import { ConfigurableModelModule } from './model.options.js';

/** Chat clients for hosted and local models: one client, one table of providers. */
@Module({ providers: [ChatModels], exports: [ChatModels] })
export class ModelModule extends ConfigurableModelModule {}
