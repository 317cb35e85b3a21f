import type { AgentModuleInput } from '#agent';
import type { McpModuleInput } from '#mcp';
import type { ModelModuleOptions } from '#model';
import type { RewardModuleOptions } from '#reward';
import type { RolloutModuleInput } from '#rollout';
import type { RubricModuleOptions } from '#rubric';
import type { HttpTransportOptions, TrainerHttpOptions } from '#trainers';

/** Everything that can be set; every part has defaults. */
export interface OsmosisModuleOptions {
  /** Keys that trainers must present as bearer. Several allow a rotation. None: the routes are open. */
  readonly apiKeys?: TrainerHttpOptions['apiKeys'];
  /** Name of the agent behind `/v1/rollout/init` when there are several. */
  readonly defaultAgent?: string;
  /** Limits of tools. */
  readonly tools?: AgentModuleInput['tools'];
  /** Threads of tools and rewards with `isolate: true`, and the watch over code that blocks the event loop. */
  readonly isolation?: AgentModuleInput['isolation'];
  /** Servers for `@Agent({ mcp })`, by name, and how long one may take to start. */
  readonly mcp?: Omit<McpModuleInput, 'clock'>;
  /** Limits of rewards. */
  readonly rewards?: Partial<Omit<RewardModuleOptions, 'clock'>>;
  /** Hosted models that judge: environment for their keys, further providers, retries. */
  readonly models?: ModelModuleOptions;
  /** What `@Rubric`s that say nothing get. */
  readonly rubrics?: RubricModuleOptions;
  /** Concurrency, deadlines, delivery, traces. */
  readonly rollouts?: Omit<RolloutModuleInput, 'clock'>;
  /** How the server talks to trainers: time limits and retries of chat calls. */
  readonly trainer?: TrainerHttpOptions['client'];
  /** Limits of the connections to trainers. */
  readonly transport?: Omit<HttpTransportOptions, 'clock'>;
  /** Bytes of a request body at most. Default 64 MiB. */
  readonly bodyLimitBytes?: number;
  /** Told at `/health`, so that whoever has started the server knows it again. */
  readonly instanceId?: string;
  /** Bytes of a request's metadata at most, in dialect 0.2. Default 1 MiB. */
  readonly maxMetadataBytes?: number;
}

/**
 * Injection token of a function that a host changes the application's options with before they take effect: `osmosis
 * serve` lays its command line and environment over them. Registered, so that it works across two installed copies of the
 * package.
 */
export const OSMOSIS_OPTIONS_ADJUSTMENT = Symbol.for('nestjs-osmosis:options-adjustment');

export type OsmosisOptionsAdjustment = (options: OsmosisModuleOptions) => OsmosisModuleOptions;
