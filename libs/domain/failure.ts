/** Who is to blame. Never `agent` for what the judge, the trainer or the clock did. */
export type FailureClass =
  'model' | 'tool' | 'agent' | 'reward' | 'judge' | 'transport' | 'deadline' | 'cancelled' | 'shutdown';

/** What a rollout was doing when it failed. */
export type RolloutPhase = 'queue' | 'agent' | 'model' | 'tools' | 'reward' | 'judge' | 'delivery';

/** Why a rollout or a score has no good end. */
export interface Failure {
  readonly class: FailureClass;
  readonly phase: RolloutPhase;
  /** Stable name of the cause, see `ERROR_TABLE`. */
  readonly code: string;
  readonly message: string;
  /** Name of the error that user code threw, e.g. `TypeError`. */
  readonly errorName?: string;
  /** Whether the same request may end well when sent again. */
  readonly retryable: boolean;
  /** Facts for whoever looks into it. Holds no secrets. */
  readonly evidence?: Readonly<Record<string, unknown>>;
}
