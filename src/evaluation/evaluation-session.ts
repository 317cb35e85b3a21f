import type { INestApplicationContext } from '@nestjs/common';
import type { ToolDescriptor } from '#agent';
import { OsmosisError } from '#domain';
import type { RunOptions } from '#evaluation';
import { AgentRegistry } from '#osmosis';
import type { CommandContext } from '../cli/command-context.js';
import { Interruption } from '../cli/interruption.js';
import type { LoadedModule } from '../loading/loaded-module.js';
import { ModuleLoader } from '../loading/module-loader.js';
import { createEvaluationApplication } from './evaluation-application.js';
import { divertOutput } from './evaluation.logger.js';
import { EvaluationModels } from './evaluation-models.js';
import type { AgentChoice, EvaluationOptions } from './evaluation-options.js';
import { connectMcp, MCP_MODULE } from './mcp-tools.js';
import { readPriceFile } from './price-file.js';

const DEFAULT_CONCURRENCY = 4;

/** Everything that `test` and `eval` need before their first run. */
export interface EvaluationSession {
  /** Has the runners: `app.get(TestRunner)`. */
  readonly app: INestApplicationContext;
  /** Where the agent comes from. */
  readonly loaded: LoadedModule;
  /** Opens further models, such as a baseline. */
  readonly models: EvaluationModels;
  /** A signal ends the program at once until somebody arms it; then it cancels the runs. */
  readonly interruption: Interruption;
  /** What every runner takes. */
  readonly runOptions: Omit<RunOptions, 'onStart' | 'onProgress'>;
  /** Also after a failed run. */
  close(): Promise<void>;
}

/**
 * In the order of spec F.4: prices, model, agent or MCP server. The dataset is opened by the runner, which also asks the
 * model for its first word.
 *
 * @param beforeLog takes away what stands on the terminal's line before a log message is written
 * @throws OsmosisError for whatever is named and cannot be used; nothing is left open then
 */
export async function openEvaluation(
  context: CommandContext,
  options: EvaluationOptions,
  beforeLog: () => void = () => {},
): Promise<EvaluationSession> {
  const closers = new Closers();
  try {
    return await open(context, options, beforeLog, closers);
  } catch (error) {
    await closers.close();
    throw error;
  }
}

async function open(
  context: CommandContext,
  options: EvaluationOptions,
  beforeLog: () => void,
  closers: Closers,
): Promise<EvaluationSession> {
  const { concurrency = DEFAULT_CONCURRENCY } = options;
  const interruption = new Interruption(false);
  closers.add(async () => interruption.dispose());
  const logger = divertOutput(context, beforeLog);
  const prices = options.prices === undefined ? undefined : await readPriceFile(options.prices, context.cwd);
  const models = new EvaluationModels(context.env, context.cwd, concurrency);
  closers.add(() => models.close());
  const model = await models.open(options.model);
  const { loaded, tools } = await loadAgent(context, options.agent, closers);
  const app = await createEvaluationApplication(context, loaded, logger);
  closers.add(() => app.close());
  const runOptions = {
    dataset: options.dataset,
    // Reading it at all would keep the program waiting for it.
    ...(options.dataset.path === '-' && { stdin: context.stdin }),
    agent: agentName(app, options.agent),
    model,
    tools,
    limits: options.limits,
    concurrency,
    retries: options.retries,
    prices,
    cancellation: interruption.cancellation,
  };
  return { app, loaded, models, interruption, runOptions, close: () => closers.close() };
}

async function loadAgent(
  context: CommandContext,
  choice: AgentChoice,
  closers: Closers,
): Promise<{ readonly loaded: LoadedModule; readonly tools: readonly ToolDescriptor[] }> {
  if (choice.kind === 'module') {
    return { loaded: await new ModuleLoader().load(choice.module, context.cwd), tools: [] };
  }
  const connection = await connectMcp(choice, context);
  closers.add(() => connection.close());
  return { loaded: MCP_MODULE, tools: connection.tools };
}

/** @throws OsmosisError USAGE when it is unclear which agent is meant */
function agentName(app: INestApplicationContext, choice: AgentChoice): string {
  const registry = app.get(AgentRegistry);
  if (choice.kind === 'module' && choice.agent !== undefined) return registry.get(choice.agent).name;
  const names = registry.list().map(({ name }) => name);
  if (names.length < 2) return registry.default().name;
  try {
    return registry.default().name;
  } catch (cause) {
    const message = `There are several agents: ${names.join(', ')}. Choose one with --agent.`;
    throw new OsmosisError('USAGE', message, { cause });
  }
}

/** Closes the last opened first. */
class Closers {
  readonly #closers: (() => Promise<unknown>)[] = [];

  add(close: () => Promise<unknown>): void {
    this.#closers.push(close);
  }

  async close(): Promise<void> {
    for (let close = this.#closers.pop(); close; close = this.#closers.pop()) await close();
  }
}
