import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProject, runCli, type CliOptions, type CliResult } from './cli.js';

/**
 * An agent whose questions say what happens. `say 1`: the model answers `1`, which is also the score; `flip`: 0 and 1 in
 * turn; `throw below 2`: the agent fails in the first two runs of the row; `wait 500 1`: the model takes half a second.
 */
const AGENT = `
import { Agent, Reward } from 'nestjs-osmosis';

export class EchoAgent {
  async run(ctx) {
    const messages = [...ctx.request.messages];
    const [word, , count] = String(messages.at(-1).content).split(' ');
    if (word === 'throw' && ctx.request.metadata.run_index < Number(count)) throw new Error('the agent is in a mood');
    const answer = await ctx.chat(messages);
    return ctx.complete([...messages, answer.message]);
  }
  score(solution, _truth, _extra) {
    return Number(solution);
  }
}
Reward()(EchoAgent.prototype, 'score', Object.getOwnPropertyDescriptor(EchoAgent.prototype, 'score'));
Agent({ name: 'echo', tools: [] })(EchoAgent);
`;

/** The same without anything to be scored by. */
const PLAIN_AGENT = `
import { Agent } from 'nestjs-osmosis';
export class PlainAgent {}
Agent({ name: 'plain', tools: [] })(PlainAgent);
`;

/** Writes down every call that it gets. */
const MODEL = `
import { appendFileSync } from 'node:fs';
let flips = 0;
let answers = Number(process.env.ANSWERS ?? Infinity);
export async function answer({ messages }) {
  const question = String(messages.at(-1).content);
  appendFileSync('calls.txt', question + '\\n');
  if (answers-- <= 0) await new Promise(() => setInterval(() => {}, 1e6));
  const [word, ...rest] = question.split(' ');
  if (word === 'flip') return String(flips++ % 2);
  if (word === 'throw') return '1';
  if (word === 'wait') await new Promise((resolve) => setTimeout(resolve, Number(rest.shift())));
  return rest.join(' ');
}
export const nothing = () => '0';
`;

const SCORING = `
export const exact = (solutionStr, groundTruth) => solutionStr === groundTruth;
export function turns(messages) { return messages.length; }
export const failing = async (solutionStr) => { throw new Error('cannot read ' + solutionStr); };
export const wordy = (solutionStr) => 'good';
export const unordered = (solutionStr) => NaN;
export const unknown = (answer, truth) => 1;
`;

export interface Row {
  readonly user_prompt: string;
  readonly system_prompt: string;
  readonly ground_truth: string;
  readonly [column: string]: unknown;
}

export function row(user: string, more: Readonly<Record<string, unknown>> = {}): Row {
  return { user_prompt: user, system_prompt: 'Be brief.', ground_truth: '1', ...more };
}

/** A project in which agents are evaluated: `agent.mjs`, `plain.mjs`, `model.mjs`, `scoring.mjs`, `rows.jsonl`. */
export class EvalProject {
  readonly folder: string;

  constructor(rows: readonly Row[], files: Readonly<Record<string, string>> = {}) {
    this.folder = createProject({
      'agent.mjs': AGENT,
      'plain.mjs': PLAIN_AGENT,
      'model.mjs': MODEL,
      'scoring.mjs': SCORING,
      'rows.jsonl': rows.map((each) => `${JSON.stringify(each)}\n`).join(''),
      ...files,
    });
  }

  /** Arguments of an evaluation by the scripted model. */
  args(...more: readonly string[]): string[] {
    const model = more.includes('--model') ? [] : ['--model', 'scripted:model.mjs:answer'];
    return ['eval', '-m', 'agent.mjs', '-d', 'rows.jsonl', ...model, '-o', 'out/report.json', ...more];
  }

  eval(...more: readonly string[]): Promise<CliResult> {
    return this.run(this.args(...more));
  }

  run(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    return runCli(args, { cwd: this.folder, ...options });
  }

  path(file: string): string {
    return join(this.folder, file);
  }

  read(file: string): string {
    return existsSync(this.path(file)) ? readFileSync(this.path(file), 'utf8') : '';
  }

  report(file = 'out/report.json'): EvalDocument {
    return JSON.parse(this.read(file)) as EvalDocument;
  }

  /** Lines of a result log. */
  log(file = 'out/report.runs.jsonl'): Record<string, unknown>[] {
    return lines(this.read(file)).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  runs(file?: string): Record<string, unknown>[] {
    return this.log(file).filter(({ type }) => type === 'run');
  }

  /** Questions that the scripted model was asked. */
  calls(): string[] {
    return lines(this.read('calls.txt'));
  }
}

function lines(text: string): string[] {
  return text.split('\n').filter((line) => line !== '');
}

interface EstimateDocument {
  readonly value: number | null;
  readonly low: number | null;
  readonly high: number | null;
}

interface ScorerDocument {
  readonly mean: number | null;
  readonly n_scored: number;
  readonly n_scorer_errors: number;
  readonly estimates: { readonly pass_rate: EstimateDocument; readonly pass_at: Readonly<Record<string, unknown>> };
  readonly [figure: string]: unknown;
}

/** The report of an evaluation, as far as tests look at it. */
export interface EvalDocument {
  readonly config: Readonly<Record<string, unknown>>;
  readonly summary: {
    readonly total_runs: number;
    readonly failed_runs: number;
    readonly error_rate: EstimateDocument;
    readonly eval_fns: Readonly<Record<string, ScorerDocument>>;
    readonly [figure: string]: unknown;
  };
  readonly rows: readonly {
    readonly row_index: number;
    readonly n_total: number;
    readonly n_error: number;
    readonly runs: readonly { readonly run_index: number; readonly scores: object; readonly model_tag?: string }[];
  }[];
  readonly model_summaries?: readonly { readonly model_tag: string }[];
}
