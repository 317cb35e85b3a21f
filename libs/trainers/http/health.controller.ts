import { Controller, Get, Header, NotFoundException, UseFilters, UseGuards, VERSION_NEUTRAL } from '@nestjs/common';
import { AgentRegistry } from '#agent';
import { OsmosisError } from '#domain';
import { RolloutService } from '#rollout';
import { ApiKeyGuard } from './api-key.guard.js';
import { TrainerErrorsFilter } from './errors.filter.js';
import type { HealthDto } from './health.dto.js';
import { JSON_TYPE } from './json-reply.js';
import { OsmosisRouteConfig } from './route-config.js';

/** Tells trainers and load balancers that the server is there. The host's global prefix moves the routes. */
@Controller({ version: VERSION_NEUTRAL })
@UseFilters(TrainerErrorsFilter)
export class HealthController {
  constructor(
    private readonly rollouts: RolloutService,
    private readonly agents: AgentRegistry,
    private readonly guard: ApiKeyGuard,
  ) {}

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
