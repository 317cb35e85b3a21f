import type {
  AcceptedRow,
  AnnouncedRow,
  DeliveryEndState,
  RememberedRow,
  RolloutCounts,
  RolloutFilter,
  SealedRow,
  StoredAttempt,
  StoredRollout,
  UnfinishedRow,
} from '../rollout.store.js';

/** One write. Small arrays, because they cross to the thread that writes. */
export type Write =
  | readonly ['accepted', AcceptedRow]
  | readonly ['started', string, number]
  | readonly ['conversed', string, number, string]
  | readonly ['announced', AnnouncedRow]
  | readonly ['announcementEnded', string, DeliveryEndState]
  | readonly ['sealed', SealedRow]
  | readonly ['attemptFailed', string, StoredAttempt]
  | readonly ['ended', string, DeliveryEndState, number];

/** What stands in the way of accepted rollouts, by their ids: the rollouts that other workers have accepted before. */
export type EarlierRows = ReadonlyMap<string, RememberedRow>;

/** How a worker uses a file that it shares with others. */
export interface SharedUse {
  /** The worker's name, noted with whatever it has in work. */
  readonly member: string;
  /** How long finished rollouts are remembered, in milliseconds. */
  readonly ttlMs: number;
}

/** Questions, by name and arguments. */
export interface Queries {
  unfinished(members?: readonly string[]): UnfinishedRow[];
  earlier(rolloutId: string, idempotencyKey: string | null, now: number): RememberedRow | undefined;
  counts(endedSince: number): RolloutCounts;
  remembered(since: number): RememberedRow[];
  conversation(rolloutId: string): { from: number; messages: string }[];
  get(rolloutId: string): StoredRollout | undefined;
  list(filter: RolloutFilter): StoredRollout[];
  revive(rolloutId: string): UnfinishedRow | undefined;
  prune(endedBefore: number, keep: number): void;
}
