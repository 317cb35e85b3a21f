import { limitsOf, testJson, type TestResult } from '#evaluation';
import type { CommandContext } from '../../cli/command-context.js';
import type { EvaluationSession } from '../../evaluation/evaluation-session.js';

interface TestFacts {
  readonly context: CommandContext;
  readonly runOptions: EvaluationSession['runOptions'];
  readonly startedAt: Date;
}

/** The results with what they were got by (weakness H 26): `config`, then the keys of spec F.6. Holds no secrets. */
export function testDocument(
  result: TestResult,
  { context, runOptions, startedAt }: TestFacts,
): Readonly<Record<string, unknown>> {
  const { agent, model, dataset, concurrency } = runOptions;
  const { completionParams, maxTurns, maxTokensTotal, timeoutMs } = limitsOf(runOptions.limits);
  return {
    config: {
      version: context.version,
      started_at: startedAt.toISOString(),
      agent,
      model: { name: model.name, ...model.identity },
      dataset: { ...dataset },
      completion_params: completionParams,
      max_turns: maxTurns,
      max_tokens_total: maxTokensTotal,
      timeout_ms: timeoutMs,
      concurrency,
    },
    ...testJson(result),
  };
}
