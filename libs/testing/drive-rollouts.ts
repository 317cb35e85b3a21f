import { randomUUID } from 'node:crypto';
import type { ChatMessage, ToolDefinition } from '#domain';
import type { RolloutCompletionTracker } from './completion-tracker.js';
import { postInit } from './post-init.js';
import type { RolloutCompletion } from './wire/rollout-completion.js';

/** One rollout to ask for. */
export interface RolloutTask {
  readonly messages: readonly ChatMessage[];
  /** Unique when left out. */
  readonly rolloutId?: string;
  /** With a `ground_truth` in it the server computes a reward. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Sampling parameters. */
  readonly completionParams?: Readonly<Record<string, unknown>>;
  readonly maxTurns?: number;
  readonly maxTokensTotal?: number;
  readonly idempotencyKey?: string;
  /** The agent, on a server of several; the server's default agent when left out. */
  readonly agent?: string;
}

export interface DriveRolloutsOptions {
  /** Base URL of the server under test. */
  readonly serverUrl: string;
  /** Base URL of the mock trainer, as the server reaches it. */
  readonly trainerUrl: string;
  /** The mock trainer's tracker. */
  readonly tracker: RolloutCompletionTracker;
  readonly tasks: readonly RolloutTask[];
  /** The bearer that the server asks of the trainer. */
  readonly apiKey?: string;
  /** The bearer that the trainer asks of the server; the mock trainer's `apiKey`. */
  readonly trainerApiKey?: string;
  /** Rollouts in flight at most; 16 when left out. */
  readonly concurrency?: number;
  /** For each rollout, from its init to its completion; 30 s when left out. */
  readonly timeoutMs?: number;
  /** Hears each result as soon as it is there. */
  readonly onResult?: (result: DrivenRollout, index: number) => void;
}

/** What became of one task. */
export interface DrivenRollout {
  readonly task: RolloutTask;
  readonly rolloutId: string;
  /** Status of the answer to the init; null when there was none. */
  readonly initStatus: number | null;
  /** The tools that the server offered. */
  readonly tools: readonly ToolDefinition[];
  /** Null when none came. */
  readonly completion: RolloutCompletion | null;
  /** From sending the init to the completion, or to giving up. */
  readonly latencyMs: number;
  /** True when the init was accepted, but no completion came in time. */
  readonly timedOut: boolean;
  /** Why there is no completion; null when there is one. */
  readonly problem: string | null;
}

/**
 * Plays the trainer for a list of tasks: posts their inits to the server under test and awaits the completions at the
 * mock trainer. Never hangs and never rejects for what a server does: a rollout that goes wrong is a result that says so.
 *
 * @returns the results, in the order of the tasks
 * @example
 * const results = await driveRollouts({
 *   serverUrl: await app.getUrl(),
 *   trainerUrl: await trainer.getUrl(),
 *   tracker,
 *   tasks: questions.map(({ prompt, truth }) => ({
 *     messages: [{ role: 'user', content: prompt }],
 *     metadata: { ground_truth: truth },
 *   })),
 * });
 * expect(results.map((result) => result.completion?.reward)).toEqual([1, 1, 0]);
 */
export async function driveRollouts(options: DriveRolloutsOptions): Promise<DrivenRollout[]> {
  const results: DrivenRollout[] = [];
  const tasks = options.tasks.entries();
  const work = async (): Promise<void> => {
    // One iterator for all workers: each takes the next task that nobody has taken.
    for (const [index, task] of tasks) {
      const result = await driveOne(task, options);
      results[index] = result;
      options.onResult?.(result, index);
    }
  };
  const workers = Math.max(1, Math.min(options.concurrency ?? 16, options.tasks.length));
  await Promise.all(Array.from({ length: workers }, work));
  return results;
}

async function driveOne(task: RolloutTask, options: DriveRolloutsOptions): Promise<DrivenRollout> {
  const rolloutId = task.rolloutId ?? `drive-${randomUUID()}`;
  const timeoutMs = options.timeoutMs ?? 30_000;
  const startedAt = performance.now();
  const awaited = nextCompletion(options.tracker, rolloutId, timeoutMs);
  try {
    const init = await postInit(task, rolloutId, options, timeoutMs);
    const completion = init.refusal === undefined ? await awaited.completion : null;
    const timedOut = init.refusal === undefined && completion === null;
    return {
      task,
      rolloutId,
      initStatus: init.status,
      tools: init.tools,
      completion,
      latencyMs: performance.now() - startedAt,
      timedOut,
      problem: init.refusal ?? (timedOut ? `no completion within ${timeoutMs} ms` : null),
    };
  } finally {
    awaited.stop();
  }
}

/** Listens from now on, so that an earlier completion of the same id is not taken for this one. */
function nextCompletion(
  tracker: RolloutCompletionTracker,
  rolloutId: string,
  timeoutMs: number,
): { readonly completion: Promise<RolloutCompletion | null>; stop(): void } {
  let stop = (): void => {};
  const completion = new Promise<RolloutCompletion | null>((resolve) => {
    const timer = setTimeout(() => resolve(null), timeoutMs);
    const forget = tracker.onRecord((received) => {
      if (received.rollout_id === rolloutId) resolve(received);
    });
    stop = () => {
      clearTimeout(timer);
      forget();
    };
  });
  return { completion, stop: () => stop() };
}
