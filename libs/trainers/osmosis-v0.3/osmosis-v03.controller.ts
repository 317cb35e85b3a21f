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
  Res,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { AgentRegistry } from '#agent';
import { OsmosisError } from '#domain';
import { RolloutControl, RolloutService } from '#rollout';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiKeyGuard } from '../http/api-key.guard.js';
import { TrainerErrorsFilter } from '../http/errors.filter.js';
import { resolveLimits, TRAINER_HTTP_OPTIONS, type TrainerHttpOptions } from '../http/http.options.js';
import { JSON_TYPE, jsonBytes, sendJson } from '../http/json-reply.js';
import { readJsonBody } from '../http/raw-body.js';
import { OsmosisRouteConfig } from '../http/route-config.js';
import { readCancelRequest } from './cancel-request.js';
import type { CancelResultDto, StatusDto } from './rollout.dto.js';
import { readRolloutRequest } from './rollout-request.js';
import { statusJson, unknownStatus } from './status.js';

/** Every path also below an agent's own, so that `/agents/{name}` serves as a base URL. */
const below = (path: string): string[] => [path, `agents/:name/${path}`];

/** The server's side of the dialect (spec 1.1). The host's global prefix moves the routes; versioning does not. */
@Controller({ version: VERSION_NEUTRAL })
@UseFilters(TrainerErrorsFilter)
@UseGuards(ApiKeyGuard)
export class OsmosisV03Controller {
  private readonly bodyLimitBytes: number;

  constructor(
    private readonly rollouts: RolloutService,
    private readonly control: RolloutControl,
    private readonly agents: AgentRegistry,
    @Inject(TRAINER_HTTP_OPTIONS) options: TrainerHttpOptions,
  ) {
    this.bodyLimitBytes = resolveLimits(options).bodyLimitBytes;
  }

  /** Starts a rollout of the named agent, or of the only or default one. The same body under the same id starts no second. */
  @Post(below('rollout'))
  @HttpCode(202)
  @OsmosisRouteConfig({ rawBody: true })
  async start(@Req() request: FastifyRequest, @Res() reply: FastifyReply, @Param('name') name?: string): Promise<void> {
    const agent = name === undefined ? this.agents.default() : this.agents.get(name);
    const body = await readJsonBody(request, this.bodyLimitBytes);
    await this.rollouts.accept(readRolloutRequest(body, agent.name));
    sendJson(reply, 202, '{}');
  }

  /** Of any id: what is not known is `unknown`. */
  @Get(below('rollout/:id/status'))
  @Header('content-type', JSON_TYPE)
  @OsmosisRouteConfig({ rawBody: false })
  async status(@Param('id') id: string): Promise<Buffer> {
    // Not what the path would be with these resolved, and no rollout's id.
    if (id.includes('/') || id === '.' || id === '..') throw new NotFoundException('Not Found');
    return jsonBytes(await this.statusOf(id));
  }

  /** The cancelled rollouts call nobody back. Only those of this dialect: other trainers' are not their business. */
  @Post(below('rollout/cancel'))
  @HttpCode(200)
  @Header('content-type', JSON_TYPE)
  @OsmosisRouteConfig({ rawBody: true })
  async cancel(@Req() request: FastifyRequest): Promise<Buffer> {
    const choice = readCancelRequest(await readJsonBody(request, this.bodyLimitBytes));
    const cancelled = await this.control.cancelChosen(choice);
    const ids = choice.ids ?? [...cancelled.keys()];
    const dispositions = ids.map((id) => {
      const was = cancelled.get(id);
      return [id, was ? (`cancelled_${was}` as const) : 'not_found'] as const;
    });
    const result: CancelResultDto = { dispositions: Object.fromEntries(dispositions) };
    return jsonBytes(result);
  }

  private async statusOf(id: string): Promise<StatusDto> {
    try {
      return statusJson(await this.control.get(id));
    } catch (error) {
      if (OsmosisError.is(error) && error.code === 'ROLLOUT_NOT_FOUND') return unknownStatus(id);
      throw error;
    }
  }
}
