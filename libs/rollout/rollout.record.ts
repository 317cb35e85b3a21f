import { createHash } from 'node:crypto';
import type { AgentDescriptor, ToolSet } from '#agent';
import { InvocationScope } from '#discovery';
import { Cancellation, type RolloutOutcome, type RolloutRequest, type ToolDefinition } from '#domain';

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

/** What a rollout in work holds. Dropped when its completion is delivered. */
export interface RolloutWork {
  readonly request: RolloutRequest;
  readonly agent: AgentDescriptor;
  readonly tools: ToolSet;
  readonly scope: InvocationScope;
  readonly cancellation: Cancellation;
}

/** The engine's memory of one rollout. Only the engine writes it. */
export class RolloutRecord {
  readonly rolloutId: string;
  readonly idempotencyKey: string | null;
  readonly fingerprint: string;
  /** Settles when the rollout is accepted or refused; repeated requests wait for it. */
  accepted: Promise<AcceptedRollout> | null = null;
  state: RolloutState = 'queued';
  /** Null once it is done. */
  work: RolloutWork | null = null;
  status: RolloutOutcome['status'] | null = null;
  finishedAt = 0;

  constructor(request: RolloutRequest, fingerprint: string) {
    this.rolloutId = request.rolloutId;
    this.idempotencyKey = request.idempotencyKey;
    this.fingerprint = fingerprint;
  }
}

/**
 * Tells whether two requests ask for the same thing. The rollout's id, the idempotency key and the bearer do not count:
 * two ids under one key are one request (spec 2.3), and a key may have been renewed between two tries.
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
