import { execFile } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CLI, createProject, ensureBuilt, removeProjects } from './support/cli.js';

jest.setTimeout(120_000);
beforeAll(ensureBuilt);
afterAll(removeProjects);

const ROOT = join(__dirname, '..');

/** Shell lines that are run in a copy of a folder: `<!-- run: folder -->` stands before them. */
const RUNNABLE = /<!-- run: (\S+) -->\s*```sh\n([^]*?)```(?:[^`]*```\n([^]*?)```)?/g;

interface Block {
  readonly folder: string;
  readonly lines: readonly string[];
  /** What stands in the next block without a language, for the last line. */
  readonly shown: string | undefined;
}

function blocksOf(page: string): Block[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(RUNNABLE)].map(([, folder = '', code = '', shown]) => ({
    folder: join(ROOT, page, '..', folder),
    lines: code.trim().split('\n'),
    shown,
  }));
}

/** The line as a shell runs it, with this program for `npx osmosis`. */
async function runLine(line: string, cwd: string): Promise<string> {
  const command = line.replaceAll('npx osmosis', `'${process.execPath}' '${CLI}'`);
  const env = { PATH: process.env['PATH'], HOME: tmpdir() };
  return (await promisify(execFile)('sh', ['-c', command], { cwd, env })).stdout;
}

const still = (text: string): string => text.replace(/\d+(\.\d+)?m?s\b/g, 'T').replace(/ +$/gm, '');

describe('the commands that the documentation shows', () => {
  it.each(['README.md', 'docs/testing-agents.md', 'docs/evaluating.md'])(
    '%s: they run as they stand, and print what is shown',
    async (page) => {
      const blocks = blocksOf(page);
      expect(blocks).not.toHaveLength(0);
      for (const { folder, lines, shown } of blocks) {
        const cwd = createProject();
        cpSync(folder, cwd, { recursive: true });
        let last = '';
        for (const line of lines) {
          last = await runLine(line, cwd);
          expect(last).toMatch(/4 usable|Passed: 4|Status: COMPLETED|Failed runs: 0 of|"user_prompt"/);
        }
        if (shown !== undefined) expect(still(last)).toBe(still(shown));
      }
    },
  );
});
