import type { AgentDescriptor } from '#agent';
import { OsmosisError } from '#domain';
import type { NamedEvaluation } from '../report/evaluation.data.js';
import { ksOf, requireScorersOf } from '../report/figures.js';
import type { Gate } from '../statistics/index.js';
import type { LogMode } from './log/run.log.js';
import type { EvaluationModel } from './models/evaluation.model.js';
import { requireWholeNumber, type RunOptions } from './run.options.js';
import type { EvalFunction } from './scoring/eval.function.js';
import { expectedScorers } from './scoring/score.entries.js';

export interface EvalOptions extends RunOptions {
  /** What the model is compared with, on the same rows. */
  readonly baseline?: EvaluationModel;
  /** Scorers beside the agent's own rewards and rubrics. */
  readonly evalFunctions?: readonly EvalFunction[];
  /** Runs of each row. Default 1. */
  readonly runsPerRow?: number;
  /** A score passes when it reaches this. Default 1. */
  readonly threshold?: number;
  /** k of pass@k and pass^k. Default: those of 1, 3, 5 and 10 that `runsPerRow` allows. */
  readonly ks?: readonly number[];
  /** Earlier evaluations over the same rows, to compare it with. */
  readonly against?: readonly NamedEvaluation[];
  /** Columns that results are split by. */
  readonly sliceBy?: readonly string[];
  readonly gates?: readonly Gate[];
  /**
   * File of the JSON report; finished runs are kept beside it, in a file of the same name that ends in `.runs.jsonl`.
   * Undefined: nothing is written.
   */
  readonly output?: string;
  /** What to do when the output is there. Default `new`: refuse. */
  readonly mode?: LogMode;
  /** Tells two versions of the agent's source apart, e.g. a hash of its file. A resumed run must have the same. */
  readonly agentVersion?: string;
  /** Version of the package, for the report. */
  readonly version?: string;
  /** Probability that an interval holds the true value. Default 0.95. */
  readonly confidence?: number;
  /** Makes intervals by resampling another ones. */
  readonly seed?: number;
}

/** The figures that decide how much work it is, checked (spec F.8). */
export interface EvalPlan {
  readonly runsPerRow: number;
  readonly threshold: number;
  readonly ks: readonly number[];
}

const USUAL_KS = [1, 3, 5, 10];

/** @throws OsmosisError USAGE naming the option */
export function planOf(options: EvalOptions): EvalPlan {
  const { runsPerRow = 1, threshold = 1, confidence = 0.95 } = options;
  requireWholeNumber('n', runsPerRow, 1);
  for (const k of options.ks ?? []) requireWholeNumber('k of pass@k', k, 1);
  if (!Number.isFinite(threshold)) throw usage(`pass-threshold must be a number, not ${threshold}`);
  if (!(confidence > 0 && confidence < 1)) throw usage(`confidence must lie between 0 and 1, not ${confidence}`);
  const ks = options.ks ?? USUAL_KS.filter((k) => k <= runsPerRow);
  return { runsPerRow, threshold, ks: [...new Set([...ks, ...ksOf(options.gates ?? [])])].sort((a, b) => a - b) };
}

/**
 * Scorers that are known before the first run (case ST-08).
 *
 * @throws OsmosisError USAGE when nothing can score (no reward, no eval function, and no loop that may score itself), and
 *   for a gate on a scorer that there is not
 */
export function scorersOf(
  agent: AgentDescriptor,
  rewards: readonly string[],
  { evalFunctions: functions = [], gates = [] }: Pick<EvalOptions, 'evalFunctions' | 'gates'>,
): string[] {
  const twice = functions.find(({ name }) => rewards.includes(name));
  if (twice) throw usage(`'${twice.name}' is the name of a reward of the agent and of an eval function`);
  if (rewards.length === 0 && functions.length === 0 && agent.loop === null) {
    throw usage(
      `agent '${agent.name}' has nothing to be scored by. Give it a method with @Reward, or name a function with --eval-fn`,
    );
  }
  const scorers = [...expectedScorers(rewards), ...functions.map(({ name }) => name)];
  // A loop may score itself, under a name that is not known yet.
  requireScorersOf(gates, agent.loop === null ? scorers : [...scorers, ...expectedScorers(['reward'])]);
  return scorers;
}

function usage(message: string): OsmosisError {
  return new OsmosisError('USAGE', `${message}.`);
}
