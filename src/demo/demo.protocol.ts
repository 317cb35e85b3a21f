/** What the trainer process tells the demo, over Node's IPC channel. */
export type TrainerMessage =
  { readonly event: 'rollout'; readonly row: DemoRow } | { readonly event: 'finished'; readonly durationMs: number };

/** What the demo tells the trainer process. */
export interface TrainerOrder {
  readonly serverUrl: string;
  /** Bearer that the server asks for. */
  readonly apiKey: string;
}

/** One problem and what became of its rollout. Figures are null when it is missing. */
export interface DemoRow {
  readonly id: string;
  readonly problem: string;
  readonly turns: number | null;
  readonly toolCalls: number | null;
  /** Null when absent. */
  readonly reward: number | null;
  readonly expectedReward: number;
  readonly finishReason: string | null;
  readonly latencyMs: number;
  /** True when no completion came. */
  readonly missing: boolean;
  /** Why the rollout is missing or not as expected; null when all is well. */
  readonly fault: string | null;
}
