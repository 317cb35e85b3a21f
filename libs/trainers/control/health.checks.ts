import { Injectable } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import type {
  HealthCheckResult,
  HealthCheckService,
  HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';

interface Terminus {
  readonly health: HealthCheckService;
  readonly indicators: HealthIndicatorService;
}

/** Terminus, loaded with the first probe: a validation, or a server that nobody probes, starts without it. */
@Injectable()
export class HealthChecks {
  #terminus: Promise<Terminus> | undefined;

  constructor(private readonly loader: LazyModuleLoader) {}

  /** @throws ServiceUnavailableException with the result of the check, when one of the indicators is down */
  async check(
    ...checks: readonly ((indicators: HealthIndicatorService) => HealthIndicatorResult)[]
  ): Promise<HealthCheckResult> {
    const { health, indicators } = await (this.#terminus ??= this.#load());
    return health.check(checks.map((check) => () => check(indicators)));
  }

  async #load(): Promise<Terminus> {
    const { TerminusModule, HealthCheckService, HealthIndicatorService } = await import('@nestjs/terminus');
    const module = await this.loader.load(() => TerminusModule.forRoot({ logger: false }));
    return { health: module.get(HealthCheckService), indicators: module.get(HealthIndicatorService) };
  }
}
