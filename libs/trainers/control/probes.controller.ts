import { Controller, Get, UseFilters, VERSION_NEUTRAL } from '@nestjs/common';
import type { HealthCheckResult } from '@nestjs/terminus';
import { RolloutAdmission } from '#rollout';
import { OsmosisRouteConfig } from '../http/route-config.js';
import { HealthChecks } from './health.checks.js';
import { ProbesFilter } from './probes.filter.js';

/** For orchestrators: is the process alive, and may it be sent work. Open, like `/health`. */
@Controller({ version: VERSION_NEUTRAL })
@UseFilters(ProbesFilter)
export class ProbesController {
  constructor(
    private readonly health: HealthChecks,
    private readonly admission: RolloutAdmission,
  ) {}

  @Get('livez')
  @OsmosisRouteConfig({ rawBody: false })
  live(): Promise<HealthCheckResult> {
    return this.health.check();
  }

  /** 503 while the server drains, and while its store cannot be written. */
  @Get('readyz')
  @OsmosisRouteConfig({ rawBody: false })
  ready(): Promise<HealthCheckResult> {
    return this.health.check((indicators) => {
      const indicator = indicators.check('rollouts');
      const { obstacle } = this.admission;
      return obstacle === null ? indicator.up() : indicator.down({ message: obstacle });
    });
  }
}
