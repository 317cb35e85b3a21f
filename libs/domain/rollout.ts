import type { Failure } from './failure.js';
import type { ChatMessage } from './message.js';
import type { Secret } from './secret.js';

/** One request of a trainer to run one agent. Immutable once accepted. */
export interface RolloutRequest {
  /** Chosen by the trainer, 1 to 256 code points. */
  readonly rolloutId: string;
  /** Name of the agent that runs. */
  readonly agent: string;
  /** How to talk to the trainer. */
  readonly trainer: TrainerAddress;
  readonly messages: readonly ChatMessage[];
  /** Sampling parameters for every chat call; a call may override them. */
  readonly completionParams: Readonly<Record<string, unknown>>;
  readonly toolServerUrl: string | null;
  /** Chat calls at most. The built-in loop honours it. */
  readonly maxTurns: number;
  /** Tokens of the whole conversation at most. The built-in loop honours it. */
  readonly maxTokensTotal: number;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly idempotencyKey: string | null;
  /** The ground truth, in dialects that have a field for it. */
  readonly label?: string | null;
  /** What the trainer wants to find again in the trajectory's document. Opaque, and for nothing else. */
  readonly extraFields?: Readonly<Record<string, unknown>> | null;
  /** False when nobody waits for a reward: the rewards are not asked then. */
  readonly wantsReward?: boolean;
  /** Budgets of their own for running and scoring, in dialects that set them; else one deadline spans both. */
  readonly limits?: RolloutLimits;
}

/** Milliseconds; null leaves it to the server's own deadline, zero and less have expired already. */
export interface RolloutLimits {
  /** From the acceptance to the end of the agent's loop. */
  readonly agentMs: number | null;
  /** From there to the last reward. */
  readonly scoringMs: number | null;
}

export interface TrainerAddress {
  /** Which dialect it speaks, e.g. `osmosis-v0.2`. */
  readonly dialect: string;
  /** Base URL as the trainer gave it. */
  readonly url: string;
  /** Bearer for every call to it. */
  readonly apiKey: Secret | null;
  /** Bearer for the chat calls, when that is another one. */
  readonly modelKey?: Secret | null;
  /** Where messages go, in dialects whose trainers name addresses for them. */
  readonly callbacks?: TrainerCallbacks;
}

export interface TrainerCallbacks {
  readonly completionUrl: string;
  /** Null when the trainer does not ask for a score. */
  readonly graderUrl: string | null;
}

export type RolloutStatus = 'COMPLETED' | 'ERROR';

/** What an agent's loop hands back. Make it with `ctx.complete` or `ctx.error`. */
export interface RolloutResult {
  readonly status: RolloutStatus;
  readonly finalMessages: readonly ChatMessage[];
  readonly finishReason: string;
  readonly errorMessage: string | null;
  /** A reward the loop computed itself; the `@Reward` methods are then not asked. */
  readonly reward?: number;
  /** Set when the loop itself knows why it failed. */
  readonly failure?: Failure;
}

/** Figures of one rollout. Latencies are milliseconds; counts and tokens are integers. */
export interface RolloutMetrics {
  /** From the start of the run (not of the wait for a slot) to its end. */
  readonly totalLatencyMs: number;
  /** Spent waiting for the model, retries included. */
  readonly llmLatencyMs: number;
  /** Sum over tool calls, also of those that ran side by side. */
  readonly toolLatencyMs: number;
  /** Chat calls that were answered. */
  readonly numLlmCalls: number;
  /** Tool calls that were answered, also with an error. */
  readonly numToolCalls: number;
  readonly promptTokens: number;
  readonly responseTokens: number;
  /** Largest prompt plus completion of one call. */
  readonly maxContextTokens: number;
}

/** The part of a rollout's reward that one `@Reward` or `@Rubric` gives. */
export interface RewardComponent {
  readonly name: string;
  readonly weight: number;
  /** Null when it could not be computed: then `failure` says why. */
  readonly value: number | null;
  readonly durationMs: number;
  readonly failure?: Failure;
  /** What a judge says of its score. */
  readonly reason?: string;
}

/** The sealed end of a rollout. Made once, never changed. */
export interface RolloutOutcome {
  readonly rolloutId: string;
  readonly status: RolloutStatus;
  readonly finalMessages: readonly ChatMessage[];
  readonly finishReason: string;
  readonly errorMessage: string | null;
  /** Null when absent: not computed, or not computable. Never 0 in its place. */
  readonly reward: number | null;
  readonly rewards: readonly RewardComponent[];
  readonly metrics: RolloutMetrics;
  /** Why it is an ERROR, or why a completed rollout has no reward. */
  readonly failure: Failure | null;
  /** What the agent and its rewards have said of the sample; absent when that is nothing. */
  readonly sample?: SampleNotes;
}

/** What user code says of a rollout as a sample to train on. */
export interface SampleNotes {
  /** Not to be trained on, and its reward not to be counted. */
  readonly removed: boolean;
  /** Figures of the agent's own, by name. */
  readonly metrics: Readonly<Record<string, unknown>>;
}
