import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RubricReport } from '#rubric/plain';
import { chatReply, FakeProvider, type FakeReply, type SeenRequest } from '../../libs/model/testing/fake-provider.js';
import { createProject, endProcesses, ensureBuilt, removeProjects } from './cli.js';

export const RECORDS = [
  { rubric_id: 'helpful', conversation_id: 'one', solution_str: 'Hello!' },
  { rubric_id: 'HELPFUL', solution_str: 'Go\naway.', ground_truth: 'Good day' },
  { rubric_id: 'other', solution_str: 'not asked for' },
];

/** A model provider in the test's process that judges for the program in its own. */
export class TestJudge {
  #fake: FakeProvider | undefined;

  /** Builds the program, and takes away what the tests leave behind. Every test begins with a judge that gives 0.5. */
  static forSuite(): TestJudge {
    const judge = new TestJudge();
    beforeAll(async () => {
      await ensureBuilt();
      judge.#fake = await FakeProvider.start();
    });
    beforeEach(() => judge.scores(0.5));
    afterEach(endProcesses);
    afterAll(async () => {
      removeProjects();
      await judge.#fake?.stop();
    });
    return judge;
  }

  get fake(): FakeProvider {
    if (!this.#fake) throw new Error('the judge runs in tests only');
    return this.#fake;
  }

  /** The n-th request gets the n-th score, and then the first again. */
  scores(...list: readonly number[]): void {
    this.fake.behave((_, index) => verdict(list[index % list.length] ?? 0));
  }

  /** A rubric file that names this judge. */
  rubrics(more = '', id = 'helpful'): string {
    return `version: 1\nrubrics:\n${this.entry(more, id)}`;
  }

  entry(more = '', id = 'helpful'): string {
    const model = `{model: openai/judge, base_url: "${this.fake.url}"${more}}`;
    return `  - id: ${id}\n    rubric: Full marks for a greeting.\n    model_info: ${model}\n`;
  }

  /** A folder with rubrics and a data set, and whatever else. */
  project(files: Readonly<Record<string, string>> = {}): string {
    return createProject({ 'rubric_configs.yaml': this.rubrics(), 'd.jsonl': jsonl(RECORDS), ...files });
  }
}

export function verdict(score: number, explanation = `It earns ${score}.`): FakeReply {
  return chatReply(JSON.stringify({ score, explanation }));
}

/** What the judge was asked: the system message and the user message. */
export function promptOf(seen: SeenRequest | undefined): [system: string, user: string] {
  const [system, user] = seen?.body.messages as { content: string }[];
  return [system?.content ?? '', user?.content ?? ''];
}

/** What stands in the candidate's fence. */
export function candidateOf(seen: SeenRequest): string {
  const fence = /<<<BEGIN_CANDIDATE_OUTPUT_\w+>>>\n([\s\S]*?)\n<<<END_CANDIDATE_OUTPUT_/;
  return fence.exec(promptOf(seen)[1])?.[1] ?? '';
}

export function jsonl(records: readonly object[]): string {
  return records.map((record) => `${JSON.stringify(record)}\n`).join('');
}

/** The only report in a folder, whatever it is called. */
export function reportIn(folder: string): RubricReport {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  expect(names).toHaveLength(1);
  return JSON.parse(readFileSync(join(folder, names[0] ?? ''), 'utf8')) as RubricReport;
}

/** `UPDATE_GOLDEN=1 npx jest test/rubric-cli` writes the files anew. Read the difference before it is committed. */
export function expectGolden(name: string, text: string): void {
  const path = join(__dirname, '../golden', name);
  if (process.env['UPDATE_GOLDEN']) writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, 'utf8'));
}
