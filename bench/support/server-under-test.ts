import { fork, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';

const SOURCE = fileURLToPath(new URL('./bench.server.ts', import.meta.url));
const ENTRY = join(SOURCE, '../../../dist/bench/bench.server.js');
/** Of `/proc/PID/stat`: clock ticks a second on every Linux that Node runs on. */
const TICKS = 100;

export interface MemoryFigures {
  readonly rss: number;
  readonly heap: number;
  readonly rssAfterGc: number;
  readonly heapAfterGc: number;
  readonly active: number;
  readonly remembered: number;
}

/** A server of `dist` with one agent, as a process of its own on the first CPU. Linux only. */
export class ServerUnderTest {
  private constructor(
    private readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start(rollouts: object): Promise<ServerUnderTest> {
    await compile();
    // Without the loader that runs the benchmark: its memory would be counted, too.
    const child = fork(ENTRY, [JSON.stringify(rollouts)], { execArgv: [] });
    const [{ url }] = (await once(child, 'message')) as [{ url: string }];
    spawnSync('taskset', ['-apc', '0', String(child.pid)]);
    return new ServerUnderTest(child, url);
  }

  /** Seconds of CPU that all its threads have taken. */
  get cpuSeconds(): number {
    const stat = readFileSync(`/proc/${this.child.pid}/stat`, 'latin1');
    // The name, in parentheses, may hold spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  }

  async memory(): Promise<MemoryFigures> {
    const answer = once(this.child, 'message');
    this.child.send('memory');
    return ((await answer) as [MemoryFigures])[0];
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.disconnect();
    await ended;
  }
}

async function compile(): Promise<void> {
  const { code } = await transformFile(SOURCE, {
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
      target: 'es2022',
    },
  });
  mkdirSync(dirname(ENTRY), { recursive: true });
  writeFileSync(ENTRY, code);
}

/** The load runs on the other CPU. */
export function takeOtherCpu(): void {
  spawnSync('taskset', ['-apc', '1', String(process.pid)]);
}
