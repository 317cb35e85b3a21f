import type { ChatMessage } from '#domain';
import type { Arrivals } from './arrivals.js';
import type { RolloutCallbackTracker } from './callback-tracker.js';
import type { RolloutCompletionTracker } from './completion-tracker.js';
import type { CompletionCallback, GraderCallback, RolloutCallback } from './wire/callbacks.js';
import type { RolloutCompletion } from './wire/rollout-completion.js';

/** How a driven rollout has ended. */
export interface DrivenEnd {
  /** Dialect 0.2; null when none came. */
  readonly completion: RolloutCompletion | null;
  /** Dialect 0.3: the callbacks, in order of arrival. */
  readonly callbacks: readonly RolloutCallback[];
  /** The same in words of both dialects; null when it has not ended. */
  readonly outcome: DrivenOutcome | null;
}

export interface DrivenOutcome {
  /** Of the agent, whatever the rewards did. */
  readonly status: 'COMPLETED' | 'ERROR';
  /** Empty for an error in dialect 0.3, which tells no messages then. */
  readonly finalMessages: readonly ChatMessage[];
  /** Null when absent. */
  readonly reward: number | null;
  readonly errorMessage: string | null;
}

export interface AwaitedEnd {
  /** Null when it does not come in time. */
  readonly end: Promise<DrivenEnd | null>;
  stop(): void;
}

export function awaitCompletion(tracker: RolloutCompletionTracker, rolloutId: string, timeoutMs: number): AwaitedEnd {
  return awaitEnd(tracker, timeoutMs, (completion) =>
    completion.rollout_id === rolloutId
      ? { completion, callbacks: [], outcome: outcomeOfCompletion(completion) }
      : undefined,
  );
}

/** The grader callback is the last. */
export function awaitCallbacks(tracker: RolloutCallbackTracker, rolloutId: string, timeoutMs: number): AwaitedEnd {
  const callbacks: RolloutCallback[] = [];
  return awaitEnd(tracker, timeoutMs, (callback) => {
    if (callback.rolloutId !== rolloutId) return undefined;
    callbacks.push(callback);
    if (callback.kind !== 'grader') return undefined;
    return { completion: null, callbacks, outcome: outcomeOfCallbacks(callbacks, callback.body) };
  });
}

function awaitEnd<Item>(
  tracker: Arrivals<Item>,
  timeoutMs: number,
  endWith: (item: Item) => DrivenEnd | undefined,
): AwaitedEnd {
  let stop = (): void => {};
  const end = new Promise<DrivenEnd | null>((resolve) => {
    const timer = setTimeout(() => resolve(null), timeoutMs);
    const forget = tracker.onRecord((item) => {
      const found = endWith(item);
      if (found) resolve(found);
    });
    stop = () => {
      clearTimeout(timer);
      forget();
    };
  });
  return { end, stop: () => stop() };
}

function outcomeOfCompletion({ status, final_messages, reward, error_message }: RolloutCompletion): DrivenOutcome {
  return {
    status,
    finalMessages: final_messages,
    reward: reward ?? null,
    errorMessage: error_message ?? null,
  };
}

function outcomeOfCallbacks(callbacks: readonly RolloutCallback[], grade: GraderCallback): DrivenOutcome {
  const completion = callbacks.find((callback): callback is CompletionArrival => callback.kind === 'completion')?.body;
  return {
    status: completion?.status === 'success' ? 'COMPLETED' : 'ERROR',
    finalMessages: grade.sample?.messages ?? [],
    reward: grade.sample?.reward ?? null,
    errorMessage: completion?.err_message ?? null,
  };
}

type CompletionArrival = Extract<RolloutCallback, { readonly kind: 'completion' }> & {
  readonly body: CompletionCallback;
};
