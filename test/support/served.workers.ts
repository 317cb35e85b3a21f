import { Agent, request, type IncomingMessage } from 'node:http';
import { createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { createProject, startCli, type ListeningEvent, type RunningCli } from './cli.js';

/** An agent with a quick tool, and one that blocks the event loop of its process for good. */
const AGENT = `
import { IsNumber } from 'class-validator';
import { Agent, Reward, Tool } from 'nestjs-osmosis';

class Operands {
  @IsNumber() a!: number;
  @IsNumber() b!: number;
}

@Agent({ name: 'calculator' })
export class CalculatorAgent {
  @Tool({ description: 'Add two numbers' })
  add({ a, b }: Operands): number {
    return a + b;
  }

  @Tool({ description: 'Never end' })
  block(): void {
    for (;;);
  }

  @Reward()
  exact(solutionStr: string, groundTruth: string): number {
    return solutionStr.trim() === groundTruth.trim() ? 1 : 0;
  }
}
`;

/** The same agent in an application that waits for its rollouts, however long they take. */
const PATIENT_MODULE = `
import { Module } from '@nestjs/common';
import { OsmosisModule } from 'nestjs-osmosis';
import { CalculatorAgent } from './agent.js';

@Module({
  imports: [OsmosisModule.forRoot({ rollouts: { shutdownGraceMs: 120_000 } })],
  providers: [CalculatorAgent],
})
export class PatientModule {}
`;

const PROJECT = { 'agent.ts': AGENT, 'patient.module.ts': PATIENT_MODULE };

/** Options for a server that waits for its rollouts when it stops. */
export const PATIENT_STOP = ['-m', 'patient.module.ts'];

export interface Answer {
  readonly status: number;
  readonly body: string;
}

interface Worker {
  readonly worker: number;
  readonly pid: number;
}

/** `osmosis serve --workers 2` as real processes. Needs a build. */
export class ServedWorkers {
  private constructor(
    readonly cli: RunningCli,
    readonly event: ListeningEvent,
    /** Where the project and its store lie: for another server of the same. */
    readonly folder: string,
  ) {}

  static async start(options: readonly string[] = [], folder = createProject(PROJECT)) {
    const own = ['-m', 'agent.ts', '-H', '127.0.0.1', '-p', '0', '--skip-register', '--workers', '2', '--json'];
    const cli = startCli(['serve', ...own, ...options], { cwd: folder });
    return new ServedWorkers(cli, await cli.listening(), folder);
  }

  /** As it was started. */
  get workers(): readonly Worker[] {
    return this.event['workers'] as readonly Worker[];
  }

  /** One connection, and therefore one worker. */
  connect(): Connection {
    return new Connection(this.event.url, this.event.apiKey ?? '');
  }

  /** A connection to each worker, by the worker's number. A rollout of each tells in the log who has run it. */
  async connectToEach(trainerUrl: string): Promise<ReadonlyMap<number, Connection>> {
    const connections = new Map<number, Connection>();
    for (let tries = 0; connections.size < 2; tries++) {
      if (tries > 20) throw new Error('all connections go to one worker');
      const connection = this.connect();
      const id = `who-${++probes}`;
      await connection.init(trainerUrl, id);
      const [, worker] = await this.cli.output(new RegExp(`"rollout \\\\"${id}\\\\".*"worker":(\\d)`));
      if (connections.has(Number(worker))) connection.close();
      else connections.set(Number(worker), connection);
    }
    return connections;
  }
}

/** Requests one after another over one kept-alive connection. */
export class Connection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });

  constructor(
    private readonly url: string,
    private readonly apiKey: string,
  ) {}

  init(trainerUrl: string, rolloutId: string, more: object = {}): Promise<Answer> {
    return this.send('POST', '/v1/rollout/init', {
      rollout_id: rolloutId,
      server_url: trainerUrl,
      messages: [{ role: 'user', content: '1 + 2?' }],
      completion_params: {},
      metadata: { ground_truth: '3' },
      ...more,
    });
  }

  async json(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    return JSON.parse((await this.send(method, path, body)).body) as Record<string, unknown>;
  }

  send(method: string, path: string, body?: object): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${this.apiKey}`,
        ...(body && { 'content-type': 'application/json' }),
      };
      const onResponse = (response: IncomingMessage): void => {
        text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), reject);
      };
      const outgoing = request(`${this.url}${path}`, { method, agent: this.#agent, headers }, onResponse);
      outgoing.on('error', reject).end(body && JSON.stringify(body));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

/** Rollouts that were run to find out which connection leads where. */
let probes = 0;

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** A free port that the system gives to nobody who asks for any: it stays free between two servers. */
export async function reservedPort(): Promise<number> {
  for (let port = 20_000 + (process.pid % 10_000); ; port++) if (await isFree(port)) return port;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Waits for something that may take long on a busy machine. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await wait(50)) if (await condition()) return;
  throw new Error(`${what}: not within two minutes`);
}
