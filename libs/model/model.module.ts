import { Module } from '@nestjs/common';
import { ChatModels } from './chat-models.service.js';
import { ConfigurableModelModule, MODEL_OPTIONS, type ModelModuleOptions } from './model.options.js';

const CHAT_MODELS = {
  provide: ChatModels,
  inject: [MODEL_OPTIONS],
  useFactory: (options: ModelModuleOptions) => new ChatModels(options),
};

/** Chat clients for hosted and local models: one client, one table of providers. */
@Module({ providers: [CHAT_MODELS], exports: [ChatModels] })
export class ModelModule extends ConfigurableModelModule {}
