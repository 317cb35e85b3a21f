import {
  Controller,
  Get,
  Header,
  HttpCode,
  Inject,
  NotFoundException,
  Param,
  Post,
  Req,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { AgentRegistry } from '#agent';
import { OsmosisError } from '#domain';
import { RolloutService } from '#rollout';
import type { FastifyRequest } from 'fastify';
import { ApiKeyGuard } from './api-key.guard.js';
import { parseBody } from './body.js';
import { readInitRequest } from './init-request.js';
import type { HealthDto } from './init.dto.js';
import { JSON_TYPE } from './json-reply.js';
import { OsmosisV02Filter } from './osmosis-v02.filter.js';
import {
  OSMOSIS_V02_OPTIONS,
  resolveLimits,
  type OsmosisV02Options,
  type RequestLimits,
} from './osmosis-v02.options.js';
import { readRawBody } from './raw-body.js';
import { OsmosisRouteConfig } from './route-config.js';

/**
 * The server's side of the dialect (spec 1.1). The host's global prefix moves the routes; versioning does not.
 */
@Controller({ version: VERSION_NEUTRAL })
@UseFilters(OsmosisV02Filter)
export class OsmosisV02Controller {
  private readonly limits: RequestLimits;

  constructor(
    private readonly rollouts: RolloutService,
    private readonly agents: AgentRegistry,
    private readonly guard: ApiKeyGuard,
    @Inject(OSMOSIS_V02_OPTIONS) options: OsmosisV02Options,
  ) {
    this.limits = resolveLimits(options);
  }

  /** Starts a rollout of the only agent, or of the one marked as default. */
  @Post('v1/rollout/init')
  @HttpCode(202)
  @Header('content-type', JSON_TYPE)
  @UseGuards(ApiKeyGuard)
  @OsmosisRouteConfig({ rawBody: true })
  init(@Req() request: FastifyRequest): Promise<Buffer> {
    return this.start(request, this.agents.default().name);
  }

  /** Starts a rollout of any agent of the application. */
  @Post('agents/:name/v1/rollout/init')
  @HttpCode(202)
  @Header('content-type', JSON_TYPE)
  @UseGuards(ApiKeyGuard)
  @OsmosisRouteConfig({ rawBody: true })
  initAgent(@Param('name') name: string, @Req() request: FastifyRequest): Promise<Buffer> {
    return this.start(request, this.agents.get(name).name);
  }

  /** For load balancers: open, tells names and counters only (case AU-07). */
  @Get('health')
  @Header('content-type', JSON_TYPE)
  @OsmosisRouteConfig({ rawBody: false })
  health(): Buffer {
    const health: HealthDto = {
      status: 'healthy',
      agent_loop: this.agentName(),
      active_rollouts: this.rollouts.activeCount,
      completed_rollouts: this.rollouts.completedCount,
    };
    return Buffer.from(JSON.stringify(health));
  }

  /** For the platform, which proves with the key that it reached the server that registered. */
  @Get('platform/health')
  @Header('content-type', JSON_TYPE)
  @UseGuards(ApiKeyGuard)
  @OsmosisRouteConfig({ rawBody: false })
  platformHealth(): Buffer {
    if (!this.guard.isConfigured) throw new NotFoundException('Not found');
    return this.health();
  }

  private async start(request: FastifyRequest, agent: string): Promise<Buffer> {
    const raw = await readRawBody(request, this.limits.bodyLimitBytes);
    const body = parseBody(raw, request.headers['content-type']);
    const accepted = await this.rollouts.accept(readInitRequest(body, agent, this.limits.maxMetadataBytes));
    return Buffer.from(`{"rollout_id":${JSON.stringify(accepted.rolloutId)},"tools":${accepted.toolsJson}}`);
  }

  private agentName(): string {
    try {
      return this.agents.default().name;
    } catch (error) {
      if (!OsmosisError.is(error)) throw error;
      return this.agents
        .list()
        .map((agent) => agent.name)
        .join(', ');
    }
  }
}
