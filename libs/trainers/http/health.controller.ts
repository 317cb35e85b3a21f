import {
  Controller,
  Get,
  Header,
  Inject,
  NotFoundException,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { AgentRegistry } from '#agent';
import { OsmosisError } from '#domain';
import { RolloutService } from '#rollout';
import { ApiKeyGuard } from './api-key.guard.js';
import { TrainerErrorsFilter } from './errors.filter.js';
import type { HealthDto } from './health.dto.js';
import { TRAINER_HTTP_OPTIONS, type TrainerHttpOptions } from './http.options.js';
import { JSON_TYPE, jsonBytes } from './json-reply.js';
import { OsmosisRouteConfig } from './route-config.js';

/** Tells trainers and load balancers that the server is there. The host's global prefix moves the routes. */
@Controller({ version: VERSION_NEUTRAL })
@UseFilters(TrainerErrorsFilter)
export class HealthController {
  private readonly instanceId: string | undefined;

  constructor(
    private readonly rollouts: RolloutService,
    private readonly agents: AgentRegistry,
    private readonly guard: ApiKeyGuard,
    @Inject(TRAINER_HTTP_OPTIONS) { instanceId }: TrainerHttpOptions,
  ) {
    this.instanceId = instanceId;
  }

  /**
   * For load balancers: open, tells names and counters only (case AU-07). One body for all dialects: 0.2 reads the first
   * four fields, 0.3 the capacity in `concurrency` and, where it has started the server itself, the `instance_id`.
   */
  @Get('health')
  @Header('content-type', JSON_TYPE)
  @OsmosisRouteConfig({ rawBody: false })
  async health(): Promise<Buffer> {
    const [{ active, completed }, load] = await Promise.all([this.rollouts.counts(), this.rollouts.load()]);
    const health: HealthDto = {
      status: 'healthy',
      agent_loop: this.agentName(),
      active_rollouts: active,
      completed_rollouts: completed,
      concurrency: { max_concurrent: load.maxConcurrent, queued: load.queued, running: load.running },
      ...(this.instanceId !== undefined && { instance_id: this.instanceId }),
    };
    return jsonBytes(health);
  }

  /** For the platform, which proves with the key that it reached the server that registered. */
  @Get('platform/health')
  @Header('content-type', JSON_TYPE)
  @UseGuards(ApiKeyGuard)
  @OsmosisRouteConfig({ rawBody: false })
  platformHealth(): Promise<Buffer> {
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
