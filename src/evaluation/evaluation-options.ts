import { OsmosisError } from '#domain';
import type { RunOptions } from '#evaluation';
import type { DatasetSpec } from '#evaluation/plain';
import type { ParsedOptions } from '../cli/parsed-options.js';
import { readDatasetSpec } from './dataset-options.js';
import type { ModelChoice } from './evaluation-models.js';

/** Whose agent is run: a module's, or one that has an MCP server's tools and nothing else. */
export type AgentChoice =
  | { readonly kind: 'module'; readonly module: string; readonly agent: string | undefined }
  | { readonly kind: 'mcp'; readonly server: string; readonly keyEnv: string | undefined };

/** What the command line of `test` and `eval` says, checked as far as it can be without looking at a file. */
export interface EvaluationOptions extends Pick<RunOptions, 'limits' | 'concurrency' | 'retries'> {
  readonly agent: AgentChoice;
  readonly dataset: DatasetSpec;
  readonly model: ModelChoice;
  readonly prices: string | undefined;
}

/** What the reference takes when nobody says (spec D.10). */
export const DEFAULT_MODEL = 'gpt-5-mini';

/** @throws OsmosisError USAGE */
export function readEvaluationOptions(options: ParsedOptions): EvaluationOptions {
  return {
    agent: readAgentChoice(options),
    dataset: readDatasetSpec(options.text('dataset') ?? '', options),
    model: {
      model: options.text('model') ?? DEFAULT_MODEL,
      baseUrl: options.text('baseUrl'),
      apiKey: options.text('apiKey'),
      apiKeyEnv: options.text('apiKeyEnv'),
    },
    limits: readLimits(options),
    concurrency: options.integer('concurrency'),
    retries: options.integer('retries'),
    prices: options.text('prices'),
  };
}

function readAgentChoice(options: ParsedOptions): AgentChoice {
  const server = options.text('mcp');
  const given = options.text('module');
  const agent = options.text('agent');
  // The Python SDK calls the module's option --agent as well (spec D.10).
  const [module, name] = given === undefined ? [agent, undefined] : [given, agent];
  if (server !== undefined && module !== undefined) {
    throw usage('--module and --mcp exclude each other: with --mcp the agent is made of the tools of the server.');
  }
  if (server !== undefined) return { kind: 'mcp', server, keyEnv: options.text('mcpKeyEnv') };
  if (module !== undefined) return { kind: 'module', module, agent: name };
  throw usage('There is no agent to run. Name its file with -m path[:export], or an MCP server with --mcp.');
}

/** Holds what was given and nothing else, so that the defaults stand in one place. */
function readLimits(options: ParsedOptions): RunOptions['limits'] {
  const seconds = options.number('timeout');
  const sampling = { temperature: options.number('temperature'), max_tokens: options.integer('maxTokens') };
  return givenOnly({
    completionParams: givenOnly(sampling),
    maxTurns: options.integer('maxTurns'),
    maxTokensTotal: options.integer('maxTotalTokens'),
    timeoutMs: seconds === undefined ? undefined : Math.round(seconds * 1000),
  });
}

function givenOnly<Values extends object>(values: Values): Values {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Values;
}

function usage(message: string): OsmosisError {
  return new OsmosisError('USAGE', message);
}
