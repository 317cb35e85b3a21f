import { hash } from 'node:crypto';
import type { AgentDescriptor, RolloutSession, ToolSet } from '#agent';
import type { InvocationScope } from '#discovery';
import { Cancellation, type ListPlace, type RolloutRequest, type ToolDefinition } from '#domain';
import type { Announcement } from './announcement.js';
import type { OutcomeSummary } from './outcome.summary.js';
import type { Parcel } from './parcel.js';
import type { DeliveryEndState } from './store/index.js';

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

/** How the delivery of a completion ended. */
export interface DeliveryEnd {
  readonly state: DeliveryEndState;
  readonly attempts: number;
  readonly lastError: string | null;
}

/** The engine's memory of one rollout. Only the engine writes it. All times are milliseconds since the epoch. */
export class RolloutRecord {
  /** Settles when the rollout is accepted or refused; repeated requests wait for it. */
  accepted: Promise<AcceptedRollout> | null = null;
  /** Reaches whatever is done for the rollout, from the question for its tools to its last reward. */
  readonly cancellation = new Cancellation();
  state: RolloutState = 'queued';
  acceptedAt = 0;
  startedAt: number | null = null;
  sealedAt: number | null = null;
  endedAt: number | null = null;
  /** Null once the outcome is sealed. */
  work: RolloutWork | null = null;
  /** Null before the outcome is sealed, and for what a former process finished. */
  summary: OutcomeSummary | null = null;
  /** What the trainer is told before the outcome is sealed; null in dialects that announce nothing. */
  announcement: Announcement | null = null;
  /** Something was announced, also by a former process. */
  announced = false;
  /** The completion while it is not delivered; also a dead letter's when no store has it. */
  parcel: Parcel | null = null;
  /** Where the ledger has it. */
  place: ListPlace<RolloutRecord> | null = null;
  /** Null before the delivery has ended, and for what a former process finished. */
  delivery: DeliveryEnd | null = null;

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
    ...(request.trainer.callbacks ? ownFields(request) : []),
  ]);
  return hash('sha1', content, 'base64');
}

/** What only requests of some dialects hold. Apart, so that the fingerprints of the others stay what they were. */
function ownFields({ trainer, label, wantsReward, limits, extraFields }: RolloutRequest): unknown[] {
  return [trainer.callbacks, label, wantsReward, limits, extraFields];
}
