import { getSolutionText, OsmosisError, type ChatMessage, type Clock } from '#domain';
import type { EvalFunction, ScoringInput } from './eval.function.js';
import { NO_ENTRIES, type ScoreEntries } from './score.entries.js';

/** Milliseconds one eval function may take on one run. */
const TIMEOUT_MS = 60_000;

/** Applies the eval functions to a finished conversation, side by side. A failing one spoils none of the others. */
export class RunScorer {
  constructor(
    private readonly functions: readonly EvalFunction[],
    private readonly clock: Clock,
  ) {}

  get names(): string[] {
    return this.functions.map(({ name }) => name);
  }

  async score(
    messages: readonly ChatMessage[],
    groundTruth: string,
    row: Readonly<Record<string, unknown>>,
  ): Promise<ScoreEntries> {
    if (this.functions.length === 0) return NO_ENTRIES;
    const input: ScoringInput = { messages, solutionStr: getSolutionText(messages), groundTruth, row };
    const scores: Record<string, number | null> = {};
    const errors: Record<string, string> = {};
    await Promise.all(
      this.functions.map(async (each) => {
        try {
          scores[each.name] = await each.score(input, this.clock, TIMEOUT_MS);
        } catch (error) {
          scores[each.name] = null;
          errors[each.name] = OsmosisError.is(error) ? error.message : String(error);
        }
      }),
    );
    return { scores, errors, reasons: {} };
  }
}
