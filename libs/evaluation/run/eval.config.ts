import { createHash } from 'node:crypto';
import type { AgentDescriptor } from '#agent';
import type { Dataset } from '../dataset/index.js';
import type { EvaluationConfig } from '../report/evaluation.data.js';
import type { EvalOptions, EvalPlan } from './eval.options.js';
import type { RolloutLimits } from './local.rollout.js';
import type { RunIdentity } from './log/log.header.js';

interface ConfigParts {
  readonly agent: AgentDescriptor;
  readonly dataset: Dataset;
  readonly limits: RolloutLimits;
  readonly plan: EvalPlan;
  readonly scorers: readonly string[];
  readonly options: EvalOptions;
}

/** What an evaluation is made with, and what a resumed one must agree with. */
export async function configOf(parts: ConfigParts): Promise<EvaluationConfig> {
  const { agent, dataset, plan, scorers, options } = parts;
  return {
    model: options.model.name,
    baselineModel: options.baseline?.name ?? null,
    agent: agent.name,
    datasetPath: dataset.path,
    scorers,
    ...plan,
    identity: await identityOf(parts),
    version: options.version ?? '',
  };
}

async function identityOf({ agent, dataset, limits, plan, scorers, options }: ConfigParts): Promise<RunIdentity> {
  const { offset = 0, limit = null, columns = {} } = dataset.spec;
  return {
    dataset: { sha256: await dataset.sha256(), offset, limit, columns },
    agent: { name: agent.name, tools: toolsDigest(agent, options), version: options.agentVersion ?? null },
    model: options.model.identity,
    baseline: options.baseline?.identity ?? null,
    parameters: {
      n: plan.runsPerRow,
      max_turns: limits.maxTurns,
      max_tokens_total: limits.maxTokensTotal,
      timeout_ms: limits.timeoutMs,
      completion: limits.completionParams,
    },
    scorers,
  };
}

/** A tool whose name, description or arguments change is another tool to the model. */
function toolsDigest(agent: AgentDescriptor, { tools = [] }: EvalOptions): string {
  const definitions = [...agent.tools.definitions, ...tools.map(({ definition }) => definition)];
  return createHash('sha256').update(JSON.stringify(definitions)).digest('hex');
}
