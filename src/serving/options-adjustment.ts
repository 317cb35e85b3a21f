import { Secret } from '#domain';
import type { OsmosisModuleOptions } from '#osmosis';
import { osmosisOptions } from '../config/osmosis-options.js';
import { threadArguments } from '../loading/import-module.js';
import type { ApiKeyChoice } from './api-keys.js';
import type { ServePlan } from './serve-plan.js';
import type { WorkerLink } from './workers/worker-link.js';
import { shareOf } from './workers/worker-share.js';

/** Who decided about the keys in the end. */
export type ApiKeySource = 'generated' | 'provided' | 'disabled';

/**
 * Lays the command line and the environment over the options of the served application. Remembers which keys came out:
 * the banner and the registration need them.
 */
export class OptionsAdjustment {
  #keySource: ApiKeySource = 'disabled';
  #key: Secret | null = null;

  /** @param worker set in one of several workers, which gets its part of the limits */
  constructor(
    private readonly plan: ServePlan,
    private readonly worker?: WorkerLink,
  ) {}

  get keySource(): ApiKeySource {
    return this.#keySource;
  }

  /** One of the accepted keys; null when none is checked. */
  get key(): Secret | null {
    return this.#key;
  }

  readonly apply = (own: OsmosisModuleOptions): OsmosisModuleOptions => {
    const { settings, traceDir, agent, apiKeys } = this.plan;
    const asked = osmosisOptions(settings);
    const options = overlay(own, {
      ...asked,
      defaultAgent: agent,
      isolation: { execArgv: own.isolation?.execArgv ?? threadArguments() },
      rollouts: {
        ...asked.rollouts,
        traceDir,
        // Rollouts are kept in a file unless somebody decided: here, or in the application.
        store: settings.given('OSMOSIS_ROLLOUT_STORE') ?? own.rollouts?.store ?? asked.rollouts?.store,
        dataDir: settings.given('OSMOSIS_ROLLOUT_DATA_DIR') ?? own.rollouts?.dataDir ?? asked.rollouts?.dataDir,
      },
    });
    return { ...this.shared(options), apiKeys: this.keysOf(apiKeys, own) };
  };

  private shared(options: OsmosisModuleOptions): OsmosisModuleOptions {
    if (!this.worker) return options;
    return shareOf({ ...options, rollouts: { ...options.rollouts, crew: this.worker } }, this.worker.assignment);
  }

  private keysOf(choice: ApiKeyChoice, own: OsmosisModuleOptions): readonly (string | Secret)[] {
    const ownKeys = [own.apiKeys ?? []].flat();
    if (choice.kind === 'disabled') return this.decide('disabled', []);
    if (choice.kind === 'provided') return this.decide('provided', choice.keys);
    return ownKeys.length > 0 ? this.decide('provided', ownKeys) : this.decide('generated', [choice.key]);
  }

  private decide(source: ApiKeySource, keys: readonly (string | Secret)[]): readonly (string | Secret)[] {
    const [first] = keys;
    this.#keySource = source;
    this.#key = first instanceof Secret ? first : Secret.from(first);
    return keys;
  }
}

/** Lays options over others, group by group; what is undefined changes nothing. */
export function overlay<Options extends object>(base: Options, over: Partial<Options>): Options {
  const merged = new Map<string, unknown>(Object.entries(base));
  for (const [name, value] of Object.entries(over)) {
    if (value === undefined) continue;
    const before = merged.get(name);
    merged.set(name, isGroup(value) && isGroup(before) ? overlay(before, value) : value);
  }
  return Object.fromEntries(merged) as Options;
}

/** A plain object; not a list, a `Secret` or a clock of a class. */
function isGroup(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
