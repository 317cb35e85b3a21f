import { createHash } from 'node:crypto';
import type { AgentDescriptor, RolloutSession, ToolSet } from '#agent';
import type { InvocationScope } from '#discovery';
import type { Cancellation, RolloutRequest, ToolDefinition } from '#domain';
import type { OutcomeSummary } from './outcome.summary.js';
import type { Parcel } from './parcel.js';

/** What a trainer is told when its request is accepted. */
export interface AcceptedRollout {
  readonly rolloutId: string;
  readonly tools: readonly ToolDefinition[];
  /** The tools as JSON text, for answers that are written by hand. */
  readonly toolsJson: string;
  /** Whether this repeats an earlier request, whose answer it then is. */
  readonly duplicate: boolean;
}

export type RolloutState = 'queued' | 'running' | 'scoring' | 'delivering' | 'done';

/** What a rollout in work holds. Dropped when its outcome is sealed. */
export interface RolloutWork {
  readonly request: RolloutRequest;
  readonly agent: AgentDescriptor;
  readonly tools: ToolSet;
  readonly scope: InvocationScope;
  readonly cancellation: Cancellation;
  /** Set while the agent runs. */
  session: RolloutSession | null;
}

/** The engine's memory of one rollout. Only the engine writes it. All times are milliseconds since the epoch. */
export class RolloutRecord {
  /** Settles when the rollout is accepted or refused; repeated requests wait for it. */
  accepted: Promise<AcceptedRollout> | null = null;
  state: RolloutState = 'queued';
  acceptedAt = 0;
  startedAt: number | null = null;
  sealedAt: number | null = null;
  endedAt: number | null = null;
  /** Null once the outcome is sealed. */
  work: RolloutWork | null = null;
  /** Null before the outcome is sealed, and for what a former process finished. */
  summary: OutcomeSummary | null = null;
  /** The completion while it is not delivered, also when it is a dead letter. */
  parcel: Parcel | null = null;

  constructor(
    readonly rolloutId: string,
    readonly idempotencyKey: string | null,
    readonly fingerprint: string,
    readonly agent: string,
    readonly dialect: string,
  ) {}

  static of(request: RolloutRequest, fingerprint: string): RolloutRecord {
    const { rolloutId, idempotencyKey, agent, trainer } = request;
    return new RolloutRecord(rolloutId, idempotencyKey, fingerprint, agent, trainer.dialect);
  }
}

/**
 * Tells whether two requests ask for the same thing. The rollout's id, the idempotency key and the bearer do not count:
 * two ids under one key are one request (spec 2.3), and a bearer may have been renewed between two tries.
 */
export function fingerprintOf(request: RolloutRequest): string {
  const content = JSON.stringify([
    request.agent,
    request.trainer.dialect,
    request.trainer.url,
    request.messages,
    request.completionParams,
    request.toolServerUrl,
    request.maxTurns,
    request.maxTokensTotal,
    request.metadata,
  ]);
  return createHash('sha1').update(content).digest('base64');
}
