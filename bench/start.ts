import { spawn } from 'node:child_process';
import { mkdtempSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { packageInfo } from '../src/cli/package-info.js';
import { Figures, median, rangeOf } from './support/figures.js';

/**
 * Cold start of the program: the median of ten runs (`ROUNDS`), interleaved, as multiples of `node -e 0`.
 */
const ROUNDS = Number(process.env['ROUNDS'] ?? 10);
const ROOT = packageInfo().root;
const CLI = join(ROOT, 'dist/src/cli.js');

interface Case {
  readonly name: string;
  readonly args: readonly string[];
  /** Multiples of `node -e 0` at most (issue 3, item 8). */
  readonly goal?: number;
  /** A server is ended as soon as it listens; others are timed to their end. */
  readonly until?: 'listening';
}

const AGENT = `
import { Agent } from 'nestjs-osmosis';
export class BenchAgent {}
Agent({ name: 'bench' })(BenchAgent);
`;

function createProject(): string {
  const folder = mkdtempSync(join(tmpdir(), 'osmosis-bench-'));
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/nestjs-osmosis'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  writeFileSync(join(folder, 'agent.js'), AGENT);
  writeFileSync(join(folder, 'agent.ts'), AGENT);
  writeFileSync(join(folder, 'rubrics.yaml'), 'id: r\nrubric: Be kind.\nmodel_info: {model: openai/m}\n');
  writeFileSync(join(folder, 'data.jsonl'), '{"rubric_id":"r","solution_str":"Hello!"}\n');
  return folder;
}

const SERVE = ['serve', '--local', '--store', 'memory', '-H', '127.0.0.1', '-p', '0', '-m'];
const CASES: readonly Case[] = [
  { name: 'node -e 0', args: ['-e', '0'] },
  { name: 'osmosis --help', args: [CLI, '--help'], goal: 1.6 },
  { name: 'osmosis serve --help', args: [CLI, 'serve', '--help'], goal: 1.6 },
  { name: 'osmosis --version', args: [CLI, '--version'], goal: 1.6 },
  { name: 'osmosis completion bash', args: [CLI, 'completion', 'bash'], goal: 1.6 },
  { name: 'osmosis config', args: [CLI, 'config'], goal: 2.5 },
  { name: 'osmosis workspace list', args: [CLI, 'workspace', 'list'], goal: 2.5 },
  { name: 'osmosis preview, a rubric file', args: [CLI, 'preview', '-p', 'rubrics.yaml'], goal: 2.5 },
  { name: 'osmosis preview, a data set', args: [CLI, 'preview', '-p', 'data.jsonl'], goal: 2.5 },
  {
    name: 'osmosis serve, a .js agent, to listening',
    args: [CLI, ...SERVE, 'agent.js'],
    goal: 7.5,
    until: 'listening',
  },
  { name: 'osmosis serve, a .ts agent, to listening', args: [CLI, ...SERVE, 'agent.ts'], until: 'listening' },
  {
    name: 'osmosis validate --no-dry-run, a .js agent',
    args: [CLI, 'validate', '--no-dry-run', '-m', 'agent.js'],
    goal: 7.5,
  },
  { name: 'osmosis validate, a .js agent', args: [CLI, 'validate', '-m', 'agent.js'] },
];

function time({ args, until }: Case, cwd: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const startedAt = performance.now();
    const child = spawn(process.execPath, [...args], { cwd, stdio: ['ignore', 'pipe', 'ignore'] });
    let took: number | undefined;
    child.stdout.on('data', () => {
      if (until === undefined || took !== undefined) return;
      took = performance.now() - startedAt;
      child.kill('SIGTERM');
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(took ?? performance.now() - startedAt);
      else reject(new Error(`${args.join(' ')} ended with ${code}`));
    });
  });
}

const figures = new Figures('start');
const folder = createProject();
try {
  const times = CASES.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, one] of CASES.entries()) times[index]?.push(await time(one, folder));
  }
  const base = median(times[0] ?? []);
  for (const [index, { name, goal }] of CASES.entries()) {
    const took = times[index] ?? [];
    figures.add({ name, value: median(took), unit: 'ms', ...rangeOf(took) });
    if (index === 0) continue;
    const multiple = { name: `${name}, of node -e 0`, value: median(took) / base, unit: 'x' };
    figures.add({ ...multiple, goal: goal === undefined ? undefined : { better: 'less', must: goal, aim: goal } });
  }
} finally {
  rmSync(folder, { recursive: true });
  figures.print();
}
