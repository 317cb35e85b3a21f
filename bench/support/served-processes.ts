import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../../dist/src/cli.js', import.meta.url));
const AGENT = fileURLToPath(new URL('./bench.agent.ts', import.meta.url));
/** Of `/proc/PID/stat`: clock ticks a second on every Linux that Node runs on. */
const TICKS = 100;

interface Listening {
  readonly url: string;
  readonly workers?: readonly { readonly pid: number }[];
}

/** `osmosis serve` with some workers, as processes of their own. Linux only. */
export class ServedProcesses {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
    /** The keeper of the workers, where there are several, and the workers. */
    private readonly pids: readonly number[],
  ) {}

  static async start(workers: number, dataDir: string): Promise<ServedProcesses> {
    const options = ['--local', '-H', '127.0.0.1', '-p', '0', '--log-level', 'info', '--data-dir', dataDir];
    const child = spawn(process.execPath, [CLI, 'serve', '-m', AGENT, '--workers', String(workers), ...options], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    const { url, workers: started = [] } = JSON.parse(line) as Listening;
    return new ServedProcesses(child, url, [child.pid!, ...started.map(({ pid }) => pid)]);
  }

  /** Seconds of CPU that all processes with all their threads have taken. */
  get cpuSeconds(): number {
    return this.pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0);
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGTERM');
    await ended;
  }
}

function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  // The name, in parentheses, may hold spaces.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS;
}
