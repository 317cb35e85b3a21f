import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { Clock } from '#domain';
import type { RetryPolicy } from './hosted.chat-model.js';
import type { Environment } from './model.resolver.js';
import type { ProviderDefinition } from './provider.definition.js';

export interface ModelModuleOptions {
  /** Where keys, addresses and proxies are looked up. Default: nowhere. */
  readonly env?: Environment;
  /** Rows added to the provider table. */
  readonly providers?: readonly ProviderDefinition[];
  readonly retry?: Partial<RetryPolicy>;
  /** Requests at once to each provider whose row says nothing. Default 8. */
  readonly concurrency?: number;
  readonly clock?: Clock;
}

export const { ConfigurableModuleClass: ConfigurableModelModule, MODULE_OPTIONS_TOKEN: MODEL_OPTIONS } =
  new ConfigurableModuleBuilder<ModelModuleOptions>({ moduleName: 'OsmosisModel' })
    .setClassMethodName('forRoot')
    // Global by default: connections, concurrency limits and what was learned of the models are the application's.
    .setExtras({ isGlobal: true }, (definition, extras) => ({ ...definition, global: extras.isGlobal }))
    .build();
