import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const ROOT = resolve(__dirname, '../..');
export const CLI = join(ROOT, 'dist/src/cli.js');

/** Builds the program unless it is newer than its sources. One suite builds, the others wait until all of it is there. */
export async function ensureBuilt(): Promise<void> {
  const lock = join(ROOT, 'node_modules/.osmosis-build-lock');
  for (let tries = 0; existsSync(lock) || isStale(); tries++) {
    if (tries > 600) throw new Error(`another build holds ${lock}; remove it if there is none`);
    try {
      mkdirSync(lock);
    } catch {
      await wait(500);
      continue;
    }
    try {
      if (isStale()) execFileSync('npx', ['nest', 'build'], { cwd: ROOT, stdio: 'pipe' });
    } finally {
      rmSync(lock, { recursive: true });
    }
  }
}

function isStale(): boolean {
  const built = statSync(CLI, { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return [join(ROOT, 'libs'), join(ROOT, 'src')].some((folder) => newestSource(folder) > built);
}

function newestSource(folder: string): number {
  return Math.max(
    0,
    ...readdirSync(folder, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && /(?<!\.spec)\.ts$/.test(entry.name))
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
}

/** A folder with files, and with this package and what it needs installed. Removed by {@link removeProjects}. */
export function createProject(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'osmosis-cli-'));
  projects.push(folder);
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(ROOT, join(folder, 'node_modules/nestjs-osmosis'));
  for (const name of ['@nestjs', 'class-validator', 'reflect-metadata', 'rxjs']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name));
  }
  for (const [path, text] of Object.entries({ 'package.json': '{"name":"a-project"}', ...files })) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

const projects: string[] = [];

export function removeProjects(): void {
  for (const folder of projects.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export interface CliOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Runs under a pseudo terminal: stdin, stdout and stderr are one. */
  readonly terminal?: boolean;
}

export interface CliResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the program to its end. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return startCli(args, options).ended;
}

export function startCli(args: readonly string[], options: CliOptions = {}): RunningCli {
  return new RunningCli(args, options);
}

/** The program as a process of its own, with an environment that holds nothing of the test's. */
export class RunningCli {
  stdout = '';
  stderr = '';
  readonly ended: Promise<CliResult>;
  readonly child: ChildProcess;

  constructor(args: readonly string[], { cwd = tmpdir(), env = {}, terminal = false }: CliOptions) {
    if (!existsSync(CLI)) throw new Error('call ensureBuilt() first');
    const command = [process.execPath, CLI, ...args];
    const [file = '', ...rest] = terminal
      ? ['script', '-qec', `exec ${command.map(quote).join(' ')}`, '/dev/null']
      : command;
    this.child = spawn(file, rest, {
      cwd,
      env: { PATH: process.env['PATH'], HOME: tmpdir(), TERM: 'xterm', ...env },
      stdio: 'pipe',
    });
    // It may end before it has read what a test writes.
    this.child.stdin?.on('error', () => {});
    this.child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (this.stdout += chunk));
    this.child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (this.stderr += chunk));
    this.ended = new Promise((done) =>
      this.child.on('close', (code) => done({ code, stdout: this.stdout, stderr: this.stderr })),
    );
    running.add(this);
    void this.ended.then(() => running.delete(this));
  }

  /** Waits until the output matches, and gives the match. */
  async output(pattern: RegExp): Promise<RegExpExecArray> {
    let ended = false;
    void this.ended.then(() => (ended = true));
    for (const deadline = Date.now() + 60_000; Date.now() < deadline; await wait(20)) {
      const match = pattern.exec(`${this.stdout}\n${this.stderr}`);
      if (match) return match;
      if (ended) break;
    }
    throw new Error(`${pattern} did not come.\nstdout: ${this.stdout}\nstderr: ${this.stderr}`);
  }

  /** The event that `serve` writes to a stdout that is no terminal. */
  async listening(): Promise<ListeningEvent> {
    const [line] = await this.output(/^\{"event":"listening".*\}$/m);
    return JSON.parse(line) as ListeningEvent;
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<CliResult> {
    this.child.kill(signal);
    return this.ended;
  }
}

export interface ListeningEvent {
  readonly url: string;
  readonly port: number;
  readonly agent: string | null;
  readonly apiKey?: string;
  readonly [field: string]: unknown;
}

const running = new Set<RunningCli>();

/** Ends what a failed test has left. */
export async function endProcesses(): Promise<void> {
  await Promise.all([...running].map((cli) => cli.stop('SIGKILL')));
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

/** An agent in one file, as a developer writes it. */
export const AGENT_SOURCE = `
import { IsNumber } from 'class-validator';
import { Agent, Reward, Tool, type ExtraInfo } from 'nestjs-osmosis';

class Operands {
  @IsNumber() a!: number;
  @IsNumber() b!: number;
}

@Agent({ name: 'calculator', description: 'Adds' })
export class CalculatorAgent {
  @Tool({ description: 'Add two numbers' })
  add({ a, b }: Operands): number {
    return a + b;
  }

  @Reward()
  exact(solutionStr: string, groundTruth: string, _extraInfo?: ExtraInfo): number {
    return solutionStr.trim() === groundTruth.trim() ? 1 : 0;
  }
}
`;
