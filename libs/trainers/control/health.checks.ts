import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { LazyModuleLoader } from '@nestjs/core';
import type {
  HealthCheckResult,
  HealthCheckService,
  HealthIndicatorResult,
  HealthIndicatorService,
} from '@nestjs/terminus';
import { LOAD_AFTER_MS } from '../load-after.js';

interface Terminus {
  readonly health: HealthCheckService;
  readonly indicators: HealthIndicatorService;
}

/** Terminus, loaded soon after the start, or with the first probe where that comes sooner. */
@Injectable()
export class HealthChecks implements OnApplicationBootstrap, OnApplicationShutdown {
  #terminus: Promise<Terminus> | undefined;
  #loading: NodeJS.Timeout | undefined;

  constructor(private readonly loader: LazyModuleLoader) {}

  onApplicationBootstrap(): void {
    // What fails here fails again for the probe, which tells it.
    this.#loading = setTimeout(() => void this.#open().catch(() => {}), LOAD_AFTER_MS).unref();
  }

  onApplicationShutdown(): void {
    clearTimeout(this.#loading);
  }

  /** @throws ServiceUnavailableException with the result of the check, when one of the indicators is down */
  async check(
    ...checks: readonly ((indicators: HealthIndicatorService) => HealthIndicatorResult)[]
  ): Promise<HealthCheckResult> {
    const { health, indicators } = await this.#open();
    return health.check(checks.map((check) => () => check(indicators)));
  }

  #open(): Promise<Terminus> {
    return (this.#terminus ??= this.#load().catch((error: unknown) => {
      this.#terminus = undefined;
      throw error;
    }));
  }

  async #load(): Promise<Terminus> {
    const { TerminusModule, HealthCheckService, HealthIndicatorService } = await import('@nestjs/terminus');
    const module = await this.loader.load(() => TerminusModule.forRoot({ logger: false }));
    return { health: module.get(HealthCheckService), indicators: module.get(HealthIndicatorService) };
  }
}
