import { fork, spawn, spawnSync, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { compilePrograms } from './programs.js';

export interface MemoryFigures {
  readonly rss: number;
  readonly heap: number;
  readonly rssAfterGc: number;
  readonly heapAfterGc: number;
  /** Milliseconds that the event loop was late, p99 and longest since the last question. */
  readonly lagP99: number;
  readonly lagMax: number;
  readonly active: number;
  readonly remembered: number;
}

/** A program as a process of its own on the first CPU. Linux only. */
export class ServerUnderTest {
  #stopped: Promise<void> | null = null;

  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    private readonly folder: string,
  ) {
    child.once('exit', (code, signal) => {
      if (this.#stopped) return;
      // Nobody would ever be answered again.
      console.error(`A server has ended: ${signal ?? `exit code ${code}`}.`);
      process.exit(1);
    });
  }

  /**
   * Starts a program of `bench/servers` or `bench/baselines` on the compiled package. Its log goes to a file.
   *
   * @param options handed to the program
   * @param flags of its Node; those of `SERVER_FLAGS` (say, `--cpu-prof`) are for all
   */
  static async start(program: string, options: object = {}, flags: readonly string[] = []): Promise<ServerUnderTest> {
    const folder = mkdtempSync(join(tmpdir(), 'osmosis-bench-'));
    const log = openSync(join(folder, 'log'), 'a');
    // Without the loader that runs the benchmark: its memory would be counted, too.
    const child = fork((await compilePrograms())(program), [JSON.stringify(options)], {
      execArgv: [...flags, ...(process.env['SERVER_FLAGS'] ?? '').split(' ').filter((flag) => flag !== '')],
      stdio: ['ignore', log, 'inherit', 'ipc'],
    });
    const url = await new Promise<string>((resolve, reject) => {
      child.once('message', (message) => resolve((message as { url: string }).url));
      child.once('exit', (code) => reject(new Error(`${program} ended with ${code}`)));
    });
    pin(child.pid);
    return new ServerUnderTest(child, url, folder);
  }

  /** Starts any other command that says in a line of JSON on stdout where it listens (`url`). */
  static async startCommand(command: string, args: readonly string[], options: SpawnOptions): Promise<ServerUnderTest> {
    const folder = mkdtempSync(join(tmpdir(), 'osmosis-bench-'));
    const log = openSync(join(folder, 'log'), 'a');
    const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', log] });
    const lines = createInterface({ input: child.stdout! });
    const first = await Promise.race([once(lines, 'line'), once(lines, 'close')]);
    if (first.length === 0) {
      throw new Error(`${command} did not start: ${readFileSync(join(folder, 'log'), 'utf8').slice(-2_000)}`);
    }
    const { url } = JSON.parse(first[0] as string) as { url: string };
    pin(child.pid);
    return new ServerUnderTest(child, url, folder);
  }

  /** Seconds of CPU that all its threads have taken, to the nanosecond. A thread that has ended is no longer counted. */
  get cpuSeconds(): number {
    const threads = `/proc/${this.child.pid}/task`;
    return readdirSync(threads).reduce((sum, thread) => sum + runTimeOf(join(threads, thread)), 0) / 1e9;
  }

  /** Bytes of memory that the operating system has given it. */
  get rss(): number {
    return this.#status('VmRSS');
  }

  /** The most that it ever had. */
  get peakRss(): number {
    return this.#status('VmHWM');
  }

  async memory(): Promise<MemoryFigures> {
    return this.ask<MemoryFigures>('memory');
  }

  /** What a program answers to a question. */
  async ask<Answer>(question: unknown): Promise<Answer> {
    const answer = once(this.child, 'message');
    this.child.send(question as object);
    return ((await answer) as [Answer])[0];
  }

  #status(field: string): number {
    const status = readFileSync(`/proc/${this.child.pid}/status`, 'latin1');
    return Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status)?.[1]) * 1024;
  }

  /** Also when it was stopped before: two loads may have been put onto it. */
  stop(): Promise<void> {
    return (this.#stopped ??= this.#end());
  }

  async #end(): Promise<void> {
    const ended = once(this.child, 'exit');
    if (this.child.connected) this.child.disconnect();
    else this.child.kill('SIGKILL');
    await ended;
    rmSync(this.folder, { recursive: true });
  }
}

function runTimeOf(thread: string): number {
  try {
    return Number(readFileSync(join(thread, 'schedstat'), 'latin1').split(' ')[0]);
  } catch {
    // It has ended meanwhile.
    return 0;
  }
}

function pin(pid: number | undefined): void {
  spawnSync('taskset', ['-apc', '0', String(pid)]);
}

/** The load runs on the other CPU. */
export function takeOtherCpu(): void {
  spawnSync('taskset', ['-apc', '1', String(process.pid)]);
}
