import {
  Controller,
  HttpCode,
  Inject,
  Param,
  Post,
  Req,
  Res,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { AgentRegistry } from '#agent';
import { RolloutService } from '#rollout';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiKeyGuard } from '../http/api-key.guard.js';
import { TrainerErrorsFilter } from '../http/errors.filter.js';
import {
  TRAINER_HTTP_OPTIONS,
  resolveLimits,
  type RequestLimits,
  type TrainerHttpOptions,
} from '../http/http.options.js';
import { sendJson } from '../http/json-reply.js';
import { readJsonBody } from '../http/raw-body.js';
import { OsmosisRouteConfig } from '../http/route-config.js';
import { readInitRequest } from './init-request.js';

/**
 * The server's side of the dialect (spec 1.1). The host's global prefix moves the routes; versioning does not.
 */
@Controller({ version: VERSION_NEUTRAL })
@UseFilters(TrainerErrorsFilter)
export class OsmosisV02Controller {
  private readonly limits: RequestLimits;

  constructor(
    private readonly rollouts: RolloutService,
    private readonly agents: AgentRegistry,
    @Inject(TRAINER_HTTP_OPTIONS) options: TrainerHttpOptions,
  ) {
    this.limits = resolveLimits(options);
  }

  /** Starts a rollout of the only agent, or of the one marked as default. */
  @Post('v1/rollout/init')
  @HttpCode(202)
  @UseGuards(ApiKeyGuard)
  @OsmosisRouteConfig({ rawBody: true })
  init(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.start(request, reply, this.agents.default().name);
  }

  /** Starts a rollout of any agent of the application. */
  @Post('agents/:name/v1/rollout/init')
  @HttpCode(202)
  @UseGuards(ApiKeyGuard)
  @OsmosisRouteConfig({ rawBody: true })
  initAgent(@Param('name') name: string, @Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.start(request, reply, this.agents.get(name).name);
  }

  private async start(request: FastifyRequest, reply: FastifyReply, agent: string): Promise<void> {
    const read = readJsonBody(request, this.limits.bodyLimitBytes);
    const body = read instanceof Promise ? await read : read;
    const accepted = await this.rollouts.accept(readInitRequest(body, agent, this.limits.maxMetadataBytes));
    sendJson(reply, 202, `{"rollout_id":${JSON.stringify(accepted.rolloutId)},"tools":${accepted.toolsJson}}`);
  }
}
