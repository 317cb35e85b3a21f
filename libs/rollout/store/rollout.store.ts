import type { RolloutStatus } from '#domain';

/** What is kept of a rollout's request and of the answer it got. Text fields hold JSON. */
export interface AcceptedRow {
  readonly rolloutId: string;
  readonly idempotencyKey: string | null;
  readonly fingerprint: string;
  readonly agent: string;
  readonly dialect: string;
  /** The request without its bearer. */
  readonly request: string;
  /** The trainer's bearer, encrypted; null without one. */
  readonly apiKey: string | null;
  readonly tools: string;
  /** Milliseconds since the epoch, as all times here. */
  readonly acceptedAt: number;
}

/** What a trainer is told before the outcome is sealed. */
export interface AnnouncedRow {
  readonly rolloutId: string;
  readonly announcedAt: number;
  readonly url: string;
  /** The message's body, byte for byte. */
  readonly body: string;
  /** The outcome but for its rewards, as JSON; null when it is sealed at the same time. */
  readonly outcome: string | null;
}

/** A sealed outcome with the completion that tells it. */
export interface SealedRow {
  readonly rolloutId: string;
  readonly sealedAt: number;
  readonly status: RolloutStatus;
  /** What `GET /v1/rollout/{id}` tells of the outcome, as JSON. */
  readonly summary: string;
  /** Null when nobody is told. */
  readonly url: string | null;
  /** The completion's body, byte for byte; null when nobody is told. */
  readonly body: string | null;
}

/** `none`: there was nothing to tell. */
export type DeliveryState = 'pending' | 'delivered' | 'dead' | 'none';
export type DeliveryEndState = Exclude<DeliveryState, 'pending'>;

/** A rollout as a stopped or killed server has left it. */
export interface UnfinishedRow extends AcceptedRow {
  readonly startedAt: number | null;
  /** Null when nothing was announced. */
  readonly announced: (AnnouncedRow & { readonly delivery: DeliveryState }) | null;
  /** Null when it was not sealed. */
  readonly sealed: (SealedRow & { readonly delivery: DeliveryState }) | null;
  readonly attempts: number;
}

/** A finished rollout, as far as repeats of its request need it. */
export type RememberedRow = Pick<AcceptedRow, 'rolloutId' | 'idempotencyKey' | 'fingerprint' | 'tools'> & {
  readonly endedAt: number;
};

export interface RolloutCounts {
  /** Accepted and not yet finished, those that wait for a slot included. */
  readonly active: number;
  /** Finished and still remembered. */
  readonly completed: number;
}

/** One stored rollout, for looking at. */
export interface StoredRollout {
  readonly rolloutId: string;
  readonly agent: string;
  readonly dialect: string;
  readonly trainerUrl: string | null;
  readonly state: 'queued' | 'running' | 'delivering' | 'done';
  readonly status: RolloutStatus | null;
  readonly delivery: DeliveryState | null;
  /** Of the announcement; null when there was none. */
  readonly announcement: DeliveryState | null;
  readonly acceptedAt: number;
  readonly startedAt: number | null;
  readonly sealedAt: number | null;
  readonly endedAt: number | null;
  readonly attempts: readonly StoredAttempt[];
  /** JSON; null before the outcome is sealed. */
  readonly summary: string | null;
  /** Body of the completion; null before the outcome is sealed, and in lists. */
  readonly completion: string | null;
}

export interface StoredAttempt {
  readonly number: number;
  readonly at: number;
  readonly error: string;
}

export interface RolloutFilter {
  /** A state, `COMPLETED`, `ERROR`, or `dead` for completions that could not be delivered. */
  readonly status?: string;
  readonly agent?: string;
  /** Rollouts accepted after this one, by id. */
  readonly after?: string;
  readonly limit: number;
}

/**
 * Where rollouts survive the process. Methods that give a promise have written to disk when it resolves; the others are
 * written soon, in order.
 */
export interface RolloutStore {
  /** False for a store that forgets with the process. */
  readonly persistent: boolean;
  /** Why it cannot write; null while it can. */
  readonly fault: Error | null;

  open(): Promise<void>;
  /**
   * What a former process has left unfinished, the oldest first; with names, only what these workers have left. Among
   * several workers it is the asking one's from then on.
   */
  unfinished(members?: readonly string[]): Promise<readonly UnfinishedRow[]>;
  /** Finished rollouts younger than the time, the oldest first. */
  remembered(since: number): Promise<readonly RememberedRow[]>;

  /** Gives the rollout that another worker has accepted before under the id or the key; then nothing is written. */
  accepted(row: AcceptedRow): Promise<RememberedRow | undefined>;
  started(rolloutId: string, at: number): void;
  /** The conversation from a message on, as the JSON of a list. */
  conversed(rolloutId: string, from: number, messages: string): void;
  announced(row: AnnouncedRow): Promise<void>;
  announcementEnded(rolloutId: string, state: DeliveryEndState): void;
  sealed(row: SealedRow): Promise<void>;
  attemptFailed(rolloutId: string, attempt: StoredAttempt): void;
  ended(rolloutId: string, delivery: DeliveryEndState, at: number): void;
  /** A rollout of any worker that holds the id or the key, the key going first. */
  earlier(rolloutId: string, idempotencyKey: string | null, now: number): Promise<RememberedRow | undefined>;
  /** Of all workers; undefined when it does not know. */
  counts(endedSince: number): Promise<RolloutCounts | undefined>;
  /** The last stored state of a conversation, as JSON lists by the message they start at. */
  conversation(rolloutId: string): Promise<readonly { readonly from: number; readonly messages: string }[]>;

  get(rolloutId: string): Promise<StoredRollout | undefined>;
  list(filter: RolloutFilter): Promise<readonly StoredRollout[]>;
  /** Dead letters become pending again; undefined when there is none of that id. */
  revive(rolloutId: string): Promise<UnfinishedRow | undefined>;
  /** Forgets what was delivered before the time, and the oldest of all ended ones, dead letters too, beyond the count. */
  prune(endedBefore: number, keep: number): Promise<void>;
  close(): Promise<void>;
}
