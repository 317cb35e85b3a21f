import { Logger, Module, type NestModule, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { OsmosisError } from '#domain';
import type { FastifyInstance } from 'fastify';
import { resolveClientSettings, TRAINER_CLIENT_SETTINGS } from '../client/client.settings.js';
import { ApiKeyGuard } from './api-key.guard.js';
import { TrainerErrorsFilter } from './errors.filter.js';
import { HealthController } from './health.controller.js';
import { TRAINER_HTTP_OPTIONS, TrainerHttpModuleBase, type TrainerHttpOptions } from './http.options.js';
import { handBodiesOnUnread } from './raw-body.js';
import { addFallbackRoutes, collectRoutes, type KnownRoutes } from './route-fallbacks.js';

/**
 * What the routes of all dialects share: the API key, unread bodies, the shape of errors, what is answered around the
 * routes, `/health`. Import it once, with `forRoot`, beside the dialects; global.
 */
@Module({
  controllers: [HealthController],
  providers: [
    ApiKeyGuard,
    TrainerErrorsFilter,
    {
      provide: TRAINER_CLIENT_SETTINGS,
      useFactory: (options: TrainerHttpOptions) => resolveClientSettings(options.client),
      inject: [TRAINER_HTTP_OPTIONS],
    },
  ],
  exports: [ApiKeyGuard, TrainerErrorsFilter, TRAINER_CLIENT_SETTINGS, TRAINER_HTTP_OPTIONS],
})
export class TrainerHttpModule extends TrainerHttpModuleBase implements NestModule, OnModuleInit {
  private readonly logger = new Logger(TrainerHttpModule.name);
  private routes: KnownRoutes = new Map();

  constructor(
    private readonly host: HttpAdapterHost,
    private readonly guard: ApiKeyGuard,
  ) {
    super();
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
