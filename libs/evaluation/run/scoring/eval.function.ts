import { describeThrown, OsmosisError, type ChatMessage, type Clock } from '#domain';
import { parameterNames } from './function.parameters.js';

/** What a scorer is called with, by its mode (spec F.8). */
export interface ScoringInput {
  readonly messages: readonly ChatMessage[];
  readonly solutionStr: string;
  readonly groundTruth: string;
  /** The whole row of the dataset, prompts included. */
  readonly row: Readonly<Record<string, unknown>>;
}

/** `simple`: `(solutionStr, groundTruth, extraInfo)`; `full`: `(messages, groundTruth, metadata)`. */
export type EvalFunctionMode = 'simple' | 'full';

type AnyFunction = (...args: unknown[]) => unknown;

const MODES: ReadonlyMap<string, EvalFunctionMode> = new Map([
  ['solutionStr', 'simple'],
  ['solution_str', 'simple'],
  ['messages', 'full'],
]);

const FORMS = '(solutionStr, groundTruth, extraInfo) or (messages, groundTruth, metadata)';

/** A function of the user's that scores a finished conversation. Checked before the first call is paid for. */
export class EvalFunction {
  private constructor(
    /** The path it was named by. */
    readonly name: string,
    readonly mode: EvalFunctionMode,
    private readonly fn: AnyFunction,
  ) {}

  /** @throws OsmosisError DEFINITION_INVALID for what is no scorer: no function, or another signature */
  static of(name: string, value: unknown): EvalFunction {
    if (typeof value !== 'function') throw invalid(name, `it is no function but of type ${typeof value}`);
    const fn = value as AnyFunction;
    const names = parameterNames(fn);
    const mode = MODES.get(names?.[0] ?? '');
    if (!mode) {
      const first = names?.[0] === undefined ? 'has no name that can be read' : `is called '${names[0]}'`;
      throw invalid(name, names?.length === 0 ? 'it takes no parameters' : `its first parameter ${first}`);
    }
    if (fn.length > 3) throw invalid(name, `it takes ${fn.length} parameters`);
    return new EvalFunction(name, mode, fn);
  }

  /**
   * The score. Sync and async alike are awaited; `true` and `false` count as 1 and 0.
   *
   * @throws OsmosisError REWARD_FAILED, REWARD_TIMEOUT, REWARD_NOT_A_NUMBER: a scorer that fails gives no score, not 0
   */
  async score(input: ScoringInput, clock: Clock, timeoutMs: number): Promise<number> {
    const first = this.mode === 'simple' ? input.solutionStr : input.messages;
    const value = await this.inTime(() => this.fn(first, input.groundTruth, input.row), clock, timeoutMs);
    if (typeof value === 'boolean') return Number(value);
    if (typeof value === 'number' && Number.isFinite(value)) return value;
    const got = typeof value === 'number' ? String(value) : value === null ? 'null' : typeof value;
    throw new OsmosisError('REWARD_NOT_A_NUMBER', `${this.name} must give a finite number, but gave ${got}`);
  }

  private inTime(call: () => unknown, clock: Clock, timeoutMs: number): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const late = `${this.name} did not finish within its timeout of ${timeoutMs} ms`;
      const timer = clock.after(timeoutMs, () => reject(new OsmosisError('REWARD_TIMEOUT', late)));
      Promise.resolve()
        .then(call)
        .then(resolve, (error: unknown) =>
          reject(new OsmosisError('REWARD_FAILED', `${this.name} failed: ${describeThrown(error)}`, { cause: error })),
        )
        .finally(() => timer.stop());
    });
  }
}

function invalid(name: string, what: string): OsmosisError {
  return new OsmosisError('DEFINITION_INVALID', `${name} is no eval function: ${what}. Write it as ${FORMS}.`);
}
