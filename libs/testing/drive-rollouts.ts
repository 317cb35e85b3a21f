import { randomUUID } from 'node:crypto';
import type { ChatMessage, ToolDefinition } from '#domain';
import type { RolloutCallbackTracker } from './callback-tracker.js';
import type { RolloutCompletionTracker } from './completion-tracker.js';
import { awaitCallbacks, awaitCompletion, type AwaitedEnd, type DrivenEnd } from './driven-end.js';
import { postRequest } from './post-request.js';

/** One rollout to ask for. */
export interface RolloutTask {
  readonly messages: readonly ChatMessage[];
  /** Unique when left out. */
  readonly rolloutId?: string;
  /** With a `ground_truth` in it the server computes a reward. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** The ground truth in dialect 0.3; that of the metadata when left out. */
  readonly label?: string | null;
  /** Dialect 0.3: seconds for the agent. */
  readonly agentTimeoutSec?: number;
  /** Dialect 0.3: seconds for the rewards. */
  readonly graderTimeoutSec?: number;
  /** Sampling parameters; dialect 0.2 only, like the three that follow. */
  readonly completionParams?: Readonly<Record<string, unknown>>;
  readonly maxTurns?: number;
  readonly maxTokensTotal?: number;
  readonly idempotencyKey?: string;
  /** The agent, on a server of several; the server's default agent when left out. */
  readonly agent?: string;
}

export type DriveRolloutsOptions = DriveSettings & (Speaks02 | Speaks03);

interface Speaks02 {
  readonly dialect?: 'osmosis-v0.2';
  /** The mock trainer's tracker. */
  readonly tracker: RolloutCompletionTracker;
}

interface Speaks03 {
  readonly dialect: 'osmosis-v0.3';
  /** The mock trainer's tracker. */
  readonly callbacks: RolloutCallbackTracker;
  /** The bearer for chat calls; the mock trainer's `modelKey`. `trainerApiKey` serves when left out. */
  readonly modelKey?: string;
}

interface DriveSettings {
  /** Base URL of the server under test. */
  readonly serverUrl: string;
  /** Base URL of the mock trainer, as the server reaches it. */
  readonly trainerUrl: string;
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
export interface DrivenRollout extends DrivenEnd {
  readonly task: RolloutTask;
  readonly rolloutId: string;
  /** Status of the answer to the request; null when there was none. */
  readonly initStatus: number | null;
  /** The tools that the server offered; none in dialect 0.3, where they come with the chat calls. */
  readonly tools: readonly ToolDefinition[];
  /** From sending the request to its end, or to giving up. */
  readonly latencyMs: number;
  /** True when the request was accepted, but its end did not come in time. */
  readonly timedOut: boolean;
  /** Why there is no end; null when there is one. */
  readonly problem: string | null;
}

/**
 * Plays the trainer for a list of tasks, in either dialect: posts them to the server under test and awaits their ends at the
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
  const awaited = endOf(rolloutId, options, timeoutMs);
  try {
    const answer = await postRequest(task, rolloutId, options, timeoutMs);
    const end = answer.refusal === undefined ? await awaited.end : null;
    const timedOut = answer.refusal === undefined && end === null;
    return {
      ...(end ?? NO_END),
      task,
      rolloutId,
      initStatus: answer.status,
      tools: answer.tools,
      latencyMs: performance.now() - startedAt,
      timedOut,
      problem: answer.refusal ?? (timedOut ? `no completion within ${timeoutMs} ms` : null),
    };
  } finally {
    awaited.stop();
  }
}

const NO_END: DrivenEnd = { completion: null, callbacks: [], outcome: null };

/** Listens from now on, so that an earlier end of the same id is not taken for this one. */
function endOf(rolloutId: string, options: DriveRolloutsOptions, timeoutMs: number): AwaitedEnd {
  return options.dialect === 'osmosis-v0.3'
    ? awaitCallbacks(options.callbacks, rolloutId, timeoutMs)
    : awaitCompletion(options.tracker, rolloutId, timeoutMs);
}
