import { resolve } from 'node:path';
import { OsmosisError } from '#domain';
import type { EvalOptions, LogMode } from '#evaluation';
import type { CommandContext } from '../../cli/command-context.js';
import type { ParsedOptions } from '../../cli/parsed-options.js';
import type { ModelChoice } from '../../evaluation/evaluation-models.js';
import { readEvaluationOptions, type EvaluationOptions } from '../../evaluation/evaluation-options.js';
import { readLogMode } from './log-mode.js';
import { readReportOptions, type ReportOptions } from './report.options.js';

export interface EvalCommandOptions extends EvaluationOptions, ReportOptions {
  readonly evalFunctions: readonly string[];
  readonly runsPerRow: EvalOptions['runsPerRow'];
  readonly baseline: ModelChoice | null;
  /** Reports of earlier evaluations, absolute. */
  readonly compare: readonly string[];
  /** Absolute path of the report; null when the program chooses it. */
  readonly output: string | null;
  readonly mode: LogMode;
}

/** @throws OsmosisError USAGE, also for options that have no meaning together */
export function readEvalOptions(options: ParsedOptions, { cwd }: CommandContext): EvalCommandOptions {
  const output = options.text('output');
  return {
    ...readEvaluationOptions(options),
    ...readReportOptions(options),
    evalFunctions: options.list('evalFn'),
    runsPerRow: options.integer('n'),
    baseline: readBaseline(options),
    compare: options.list('compare').map((path) => resolve(cwd, path)),
    output: output === undefined ? null : resolve(cwd, output),
    mode: readLogMode(options),
  };
}

/** An empty baseline model would be forgotten in silence, and so would its server's address (spec F.8). */
function readBaseline(options: ParsedOptions): ModelChoice | null {
  const model = options.text('baselineModel');
  const [baseUrl, apiKey, apiKeyEnv] = ['baselineBaseUrl', 'baselineApiKey', 'baselineApiKeyEnv'].map((key) =>
    options.text(key),
  );
  if (model !== undefined) return { model, baseUrl, apiKey, apiKeyEnv };
  if (baseUrl === undefined && apiKey === undefined && apiKeyEnv === undefined) return null;
  throw usage('--baseline-base-url, --baseline-api-key and --baseline-api-key-env need --baseline-model.');
}

function usage(message: string): OsmosisError {
  return new OsmosisError('USAGE', message);
}
