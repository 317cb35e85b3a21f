import { Inject, Injectable } from '@nestjs/common';
import { OsmosisError, sleep, systemClock } from '#domain';
import { RolloutCallbackTracker } from '../callback-tracker.js';
import { RolloutCompletionTracker } from '../completion-tracker.js';
import { DelayedAnswer, DroppedConnection, HttpAnswer, type ScriptedAnswer } from '../mock-model/answers.js';
import { completionsResponse } from '../mock-model/completions-response.js';
import { compileScript, type ScriptFunction } from '../mock-model/script.js';
import type { CompletionsRequest, CompletionsResponse } from '../wire/chat-completions.js';
import type { RolloutCallback } from '../wire/callbacks.js';
import type { RolloutCompletion } from '../wire/rollout-completion.js';
import { MOCK_TRAINER_OPTIONS, type MockTrainerOptions } from './mock-trainer.options.js';
import { WireEnding } from './wire-ending.js';

/** The trainer behind the routes: its model, and the completions it was told. */
@Injectable()
export class MockTrainerService {
  readonly #script: ScriptFunction;
  /** Chat requests answered so far, by rollout. */
  readonly #turns = new Map<string, number>();
  readonly #completed = new Map<string, RolloutCompletion>();

  constructor(
    @Inject(MOCK_TRAINER_OPTIONS) private readonly options: MockTrainerOptions,
    private readonly tracker: RolloutCompletionTracker,
    private readonly callbacks: RolloutCallbackTracker,
  ) {
    this.#script = compileScript(options);
  }

  /** @throws WireEnding when the script wants another end, OsmosisError `USAGE` (400) when it throws */
  async answerChat(request: CompletionsRequest): Promise<CompletionsResponse> {
    const turn = this.#turns.get(request.rollout_id) ?? 0;
    this.#turns.set(request.rollout_id, turn + 1);
    let answer = await this.#askScript(request, turn);
    while (answer instanceof DelayedAnswer) {
      await sleep(systemClock, answer.delayMs);
      answer = answer.answer;
    }
    if (answer instanceof HttpAnswer || answer instanceof DroppedConnection) throw new WireEnding(answer);
    return completionsResponse(request, answer);
  }

  /** The last completion of a rollout counts. */
  complete(completion: RolloutCompletion): void {
    this.#completed.set(completion.rollout_id, completion);
    this.tracker.record(completion);
  }

  /** Takes a callback and says what acknowledges it. */
  acknowledge(callback: RolloutCallback): Readonly<Record<string, unknown>> {
    this.callbacks.record(callback);
    return { ok: true, ...this.options.acknowledge?.(callback) };
  }

  completionOf(rolloutId: string): RolloutCompletion | undefined {
    return this.#completed.get(rolloutId);
  }

  /** A script's fault is told with a status that no client retries, so that the test fails at once and says why. */
  async #askScript(request: CompletionsRequest, turn: number): Promise<ScriptedAnswer> {
    try {
      return await this.#script(request, turn);
    } catch (error) {
      if (OsmosisError.is(error)) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      throw new OsmosisError('USAGE', `The script of the mock trainer threw: ${reason}`, { cause: error });
    }
  }
}
