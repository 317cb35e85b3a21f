import { Logger, Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { OsmosisError } from '#domain';
import { TrainerRegistry } from '#rollout';
import type { FastifyInstance } from 'fastify';
import { ApiKeyGuard } from './api-key.guard.js';
import { OsmosisV02Controller } from './osmosis-v02.controller.js';
import { OsmosisV02Filter } from './osmosis-v02.filter.js';
import { OSMOSIS_V02_OPTIONS, OsmosisV02ModuleBase, type OsmosisV02Options } from './osmosis-v02.options.js';
import { OsmosisV02Trainer } from './osmosis-v02.trainer.js';
import { handBodiesOnUnread } from './raw-body.js';
import { addFallbackRoutes, collectRoutes, type KnownRoutes } from './route-fallbacks.js';
import { OSMOSIS_V02_CLIENT_SETTINGS, resolveClientSettings } from './settings.js';

/**
 * The dialect `osmosis-v0.2`: its routes, its API key, and the trainer that answers chat calls and takes completions.
 * Import it with `forRoot` beside AgentModule, RolloutModule and TransportModule, which are global.
 */
@Module({
  controllers: [OsmosisV02Controller],
  providers: [
    ApiKeyGuard,
    OsmosisV02Filter,
    OsmosisV02Trainer,
    {
      provide: OSMOSIS_V02_CLIENT_SETTINGS,
      useFactory: (options: OsmosisV02Options) => resolveClientSettings(options.client),
      inject: [OSMOSIS_V02_OPTIONS],
    },
  ],
  exports: [OSMOSIS_V02_OPTIONS, OsmosisV02Trainer],
})
export class OsmosisV02Module extends OsmosisV02ModuleBase implements NestModule, OnModuleInit {
  private readonly logger = new Logger(OsmosisV02Module.name);
  private routes: KnownRoutes = new Map();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly guard: ApiKeyGuard,
    trainers: TrainerRegistry,
    trainer: OsmosisV02Trainer,
  ) {
    super();
    trainers.register(trainer);
  }

  /**
   * Nest calls this in an application with HTTP only, when the adapter is set and before the routes are registered: in a
   * testing module, constructors run before there is an adapter.
   */
  configure(): void {
    const instance = this.fastify();
    handBodiesOnUnread(instance);
    this.routes = collectRoutes(instance);
    if (!this.guard.isConfigured) {
      this.logger.warn('No API key is configured: whoever reaches this server can start rollouts');
    }
  }

  /** All routes, the host's as well, are registered by now. */
  onModuleInit(): void {
    if (this.routes.size > 0) addFallbackRoutes(this.fastify(), this.routes);
  }

  private fastify(): FastifyInstance {
    const { httpAdapter } = this.host;
    if (httpAdapter.getType() !== 'fastify') {
      throw new OsmosisError(
        'CONFIG_INVALID',
        `The trainer routes need Nest's Fastify adapter, but this application uses '${httpAdapter.getType()}'. ` +
          'Create it with NestFactory.create(AppModule, new FastifyAdapter()) from @nestjs/platform-fastify.',
      );
    }
    return httpAdapter.getInstance<FastifyInstance>();
  }
}
