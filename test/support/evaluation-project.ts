import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  chatReply,
  FakeProvider,
  toolReply,
  type FakeReply,
  type SeenRequest,
} from '../../libs/model/testing/fake-provider.js';
import {
  AGENT_SOURCE,
  createProject,
  endProcesses,
  ensureBuilt,
  removeProjects,
  startCli,
  type CliResult,
  type RunningCli,
} from './cli.js';

const ROOT = resolve(__dirname, '../..');

export function jsonl(records: readonly unknown[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** A row of a dataset. */
export function row(user: string, truth: unknown, more: object = {}): Record<string, unknown> {
  return { system_prompt: 'Use the tools.', user_prompt: user, ground_truth: truth, ...more };
}

/** `What is 0 + 3?` and so on, each with its answer. */
export function sums(count: number): Record<string, unknown>[] {
  return Array.from({ length: count }, (_, index) => row(`What is ${index} + 3?`, String(index + 3)));
}

/** A script that solves {@link sums} by the tool `add`. */
export function answers(count: number): unknown[] {
  return Array.from({ length: count }, (_, index) => ({
    user: `What is ${index} + 3?`,
    answers: [[{ name: 'add', arguments: { a: index, b: 3 } }], String(index + 3)],
  }));
}

/** A folder with the calculator, four sums and their script, and whatever else. MCP packages are installed. */
export function calculatorProject(files: Readonly<Record<string, string>> = {}): string {
  const folder = createProject({
    'agent.ts': AGENT_SOURCE,
    'rows.jsonl': jsonl(sums(4)),
    'answers.jsonl': jsonl(answers(4)),
    ...files,
  });
  symlinkSync(join(ROOT, 'node_modules/@modelcontextprotocol'), join(folder, 'node_modules/@modelcontextprotocol'));
  return folder;
}

/** A hosted model in the test's process that solves {@link sums} for the program in its own. */
export class TestModel {
  #fake: FakeProvider | undefined;

  /** Builds the program, and takes away what the tests leave behind. Every test begins with a model that adds. */
  static forSuite(): TestModel {
    const model = new TestModel();
    beforeAll(async () => {
      await ensureBuilt();
      model.#fake = await FakeProvider.start();
    });
    beforeEach(() => model.fake.behave(addingModel));
    afterEach(endProcesses);
    afterAll(async () => {
      removeProjects();
      await model.#fake?.stop();
    });
    return model;
  }

  get fake(): FakeProvider {
    if (!this.#fake) throw new Error('the model runs in tests only');
    return this.#fake;
  }

  /** Options that name this model. */
  get options(): string[] {
    return ['--model', 'mock/adder', '--base-url', this.fake.url];
  }

  /** What was asked after the preflight's word. */
  get asked(): readonly SeenRequest[] {
    return this.fake.seen.filter(({ body }) => lastMessage(body).content !== 'hi');
  }
}

/** Calls the tool `add` for a question, and repeats what the tool said. */
export function addingModel({ body, ...request }: SeenRequest): FakeReply {
  const { role, content } = lastMessage(body);
  if (role === 'tool') return chatReply(content);
  const [, a, b] = /(\d+) \+ (\d+)/.exec(content) ?? [];
  return a === undefined ? chatReply('ok') : toolReply({ ...request, body }, { a: Number(a), b: Number(b) });
}

export function lastMessage(body: SeenRequest['body']): { readonly role: string; readonly content: string } {
  return (body['messages'] as { role: string; content: string }[]).at(-1) ?? { role: '', content: '' };
}

/** `osmosis test` of the calculator in a folder, with its script unless a model is named. */
export function startTest(
  cwd: string,
  args: readonly string[] = [],
  options: Parameters<typeof startCli>[1] = {},
): RunningCli {
  const subject = args.includes('-m') || args.includes('--mcp') || args.includes('--agent') ? [] : ['-m', 'agent.ts'];
  const dataset = args.includes('-d') ? [] : ['-d', 'rows.jsonl'];
  const model = args.includes('--model') ? [] : ['--model', 'scripted:answers.jsonl'];
  return startCli(['test', ...subject, ...dataset, ...model, ...args], { cwd, ...options });
}

export function runTest(...parameters: Parameters<typeof startTest>): Promise<CliResult> {
  return startTest(...parameters).ended;
}
