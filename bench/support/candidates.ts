import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverArguments } from '../../src/serving/node-arguments.js';
import { BENCH_API_KEY, Load } from './load.js';
import { ServerUnderTest } from './server-under-test.js';
import { BenchTrainer, type TrainerOptions } from './trainer.js';
import type { Candidate, MeasuredServer } from './windows.js';

/** The server's flags when it is started as docs/server.md advises, and `npm start` does. */
const ADVISED_FLAGS = serverArguments([]);

/** Records live so long that none is forgotten in a window, and not so long that memory grows from round to round. */
const ROLLOUTS = { maxConcurrent: 20_000, recordTtlMs: 10_000, cleanupIntervalMs: 5_000 };

export interface CandidateOptions extends TrainerOptions {
  /** Keep-alive connections for the inits. Default 64. */
  readonly connections?: number;
  /** Of the rollout ids, for a second load of one server. */
  readonly prefix?: string;
  /** Further fields of the init, as JSON without braces. */
  readonly fields?: string;
  /** Of its Node. */
  readonly flags?: readonly string[];
  /** Options of the program besides its key. */
  readonly program?: object;
  /** Of the server under test's engine. */
  readonly rollouts?: object;
}

/** The servers, trainers and folders of one benchmark; closes all of them. */
export class Candidates {
  readonly #closing: (() => unknown)[] = [];

  /** The server under test. Its Node has the advised flags, unless there are others. */
  async osmosis(store: 'memory' | 'sqlite', options: CandidateOptions = {}): Promise<Candidate<ServerUnderTest>> {
    const dataDir = store === 'sqlite' ? this.folder() : undefined;
    const rollouts = { ...ROLLOUTS, store, dataDir, ...options.rollouts };
    return this.start(`osmosis, ${store}`, 'servers/osmosis', {
      flags: ADVISED_FLAGS,
      ...options,
      program: { ...options.program, rollouts },
    });
  }

  async start(name: string, program: string, options: CandidateOptions = {}): Promise<Candidate<ServerUnderTest>> {
    const server = await ServerUnderTest.start(program, { apiKey: BENCH_API_KEY, ...options.program }, options.flags);
    return this.join(name, server, options);
  }

  /** Puts load onto a server that runs, and stops it in the end. */
  async join<Server extends MeasuredServer>(
    name: string,
    server: Server,
    options: CandidateOptions = {},
  ): Promise<Candidate<Server>> {
    this.#closing.push(() => server.stop());
    const trainer = await BenchTrainer.listen(options);
    const load = new Load(trainer, server.url, options);
    this.#closing.push(
      () => trainer.close(),
      () => load.close(),
    );
    await load.open(options.connections);
    return { name, server, load, trainer };
  }

  /** A new folder, on the disk of `DATA_DIR` when that is set. */
  folder(): string {
    const path = mkdtempSync(join(process.env['DATA_DIR'] ?? tmpdir(), 'osmosis-bench-'));
    this.#closing.push(() => rmSync(path, { recursive: true, force: true }));
    return path;
  }

  async close(): Promise<void> {
    for (let close = this.#closing.pop(); close; close = this.#closing.pop()) await close();
  }
}
