import {
  Body,
  Controller,
  Delete,
  Get,
  HttpCode,
  Param,
  Post,
  Query,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { OsmosisError } from '#domain';
import { LIST_STATES, RolloutControl } from '#rollout';
import { ApiKeyGuard } from '../http/api-key.guard.js';
import { TrainerErrorsFilter } from '../http/errors.filter.js';
import { OsmosisRouteConfig } from '../http/route-config.js';
import { rolloutJson } from './rollout.json.js';

type RolloutJson = Record<string, unknown>;

const DEFAULT_LIMIT = 100;
const LARGEST_LIMIT = 1_000;

/** Looking at rollouts, and ending them before their time. Asks for the same key as the dialects' routes. */
@Controller({ version: VERSION_NEUTRAL })
@UseFilters(TrainerErrorsFilter)
@UseGuards(ApiKeyGuard)
export class RolloutsController {
  constructor(private readonly control: RolloutControl) {}

  /** In the order of acceptance; `after` takes the last id of the page before. */
  @Get('v1/rollouts')
  @OsmosisRouteConfig({ rawBody: false })
  async list(
    @Query('status') status?: string,
    @Query('agent') agent?: string,
    @Query('after') after?: string,
    @Query('limit') limit?: string,
  ): Promise<{ rollouts: RolloutJson[] }> {
    if (status !== undefined && !LIST_STATES.includes(status)) {
      throw invalid(`status must be one of ${LIST_STATES.join(', ')}, not ${JSON.stringify(status)}`);
    }
    const filter = { status, agent, after, limit: readLimit(limit) };
    return { rollouts: (await this.control.list(filter)).map(rolloutJson) };
  }

  @Get('v1/rollout/:id')
  @OsmosisRouteConfig({ rawBody: false })
  async get(@Param('id') id: string): Promise<RolloutJson> {
    return rolloutJson(await this.control.get(id));
  }

  @Post('v1/rollout/:id/cancel')
  @HttpCode(202)
  @OsmosisRouteConfig({ rawBody: false })
  async cancel(@Param('id') id: string): Promise<RolloutJson> {
    return rolloutJson(await this.control.cancel(id));
  }

  @Delete('v1/rollout/:id')
  @HttpCode(202)
  @OsmosisRouteConfig({ rawBody: false })
  delete(@Param('id') id: string): Promise<RolloutJson> {
    return this.cancel(id);
  }

  @Post('v1/rollout/:id/redeliver')
  @HttpCode(202)
  @OsmosisRouteConfig({ rawBody: false })
  async redeliver(@Param('id') id: string): Promise<RolloutJson> {
    return rolloutJson(await this.control.redeliver(id));
  }

  /** `{"prefix": "job-7/"}` or `{"all": true}`: one of them, so that nobody ends everything by an empty body. */
  @Post('v1/rollouts/cancel')
  @HttpCode(202)
  @OsmosisRouteConfig({ rawBody: false })
  async cancelSeveral(@Body() body?: { prefix?: unknown; all?: unknown }): Promise<{ cancelled: readonly string[] }> {
    return { cancelled: await this.control.cancelAll(readPrefix(body?.prefix, body?.all === true)) };
  }

  @Delete('v1/rollouts')
  @HttpCode(202)
  @OsmosisRouteConfig({ rawBody: false })
  async deleteSeveral(
    @Query('prefix') prefix?: string,
    @Query('all') all?: string,
  ): Promise<{ cancelled: readonly string[] }> {
    return { cancelled: await this.control.cancelAll(readPrefix(prefix, all === 'true')) };
  }
}

function readPrefix(prefix: unknown, all: boolean): string {
  if (all && prefix === undefined) return '';
  if (!all && typeof prefix === 'string' && prefix !== '') return prefix;
  throw invalid('give a prefix that is not empty, or all: true, not both');
}

function readLimit(limit: string | undefined): number {
  if (limit === undefined) return DEFAULT_LIMIT;
  const count = Number(limit);
  if (Number.isInteger(count) && count >= 1 && count <= LARGEST_LIMIT) return count;
  throw invalid(`limit must be a whole number from 1 to ${LARGEST_LIMIT}, not ${JSON.stringify(limit)}`);
}

function invalid(what: string): OsmosisError {
  return new OsmosisError('REQUEST_INVALID', what);
}
