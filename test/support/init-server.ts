import { request as httpRequest, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { Global, Module, type ModuleMetadata } from '@nestjs/common';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { AgentRegistry } from '#agent';
import { AgentNotFoundError, OsmosisError, type RolloutRequest } from '#domain';
import {
  RolloutControl,
  RolloutService,
  TrainerRegistry,
  type AcceptedRollout,
  type RolloutChoice,
  type RolloutCounts,
  type RolloutLoad,
  type RolloutView,
} from '#rollout';
import {
  HttpTransport,
  OsmosisV02Module,
  OsmosisV03Module,
  TrainerHttpModule,
  type TrainerHttpOptions,
} from '#trainers';

/** Stands for the engine: notes what the dialects hand it, and answers as told. */
export class ScriptedEngine {
  readonly requests: RolloutRequest[] = [];
  counts = async (): Promise<RolloutCounts> => ({ active: 2, completed: 3 });
  load = async (): Promise<RolloutLoad> => ({ running: 1, queued: 1, maxConcurrent: 4 });
  toolsJson = '[]';
  failure: unknown;
  /** What is known of rollouts, by id. */
  readonly views = new Map<string, Partial<RolloutView>>();
  /** What a cancellation finds in work. */
  readonly inWork = new Map<string, 'queued' | 'running'>();
  readonly choices: RolloutChoice[] = [];

  async accept(request: RolloutRequest): Promise<AcceptedRollout> {
    this.requests.push(request);
    if (this.failure) throw this.failure;
    return { rolloutId: request.rolloutId, tools: [], toolsJson: this.toolsJson, duplicate: false };
  }

  async get(rolloutId: string): Promise<Partial<RolloutView>> {
    const view = this.views.get(rolloutId);
    if (view) return { rolloutId, ...view };
    throw new OsmosisError('ROLLOUT_NOT_FOUND', 'unknown');
  }

  async cancelChosen(choice: RolloutChoice): Promise<ReadonlyMap<string, 'queued' | 'running'>> {
    this.choices.push(choice);
    return this.inWork;
  }

  get last(): RolloutRequest {
    const last = this.requests.at(-1);
    if (!last) throw new Error('The engine was not asked');
    return last;
  }
}

export interface InitServerSetup extends TrainerHttpOptions {
  readonly agents?: readonly string[];
  /** Controllers and providers of the host. */
  readonly module?: ModuleMetadata;
  readonly adapter?: FastifyAdapter;
  /** Before `init`: prefixes, versioning, global filters. */
  readonly prepare?: (app: NestFastifyApplication) => void;
}

interface AnswerBody {
  readonly rollout_id: string;
  readonly agent_loop: string;
  /** A text, or the faults of a 422. */
  readonly detail: string &
    readonly { readonly type: string; readonly loc: readonly (string | number)[]; readonly msg: string }[];
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; throws when it is none. */
  readonly json: AnswerBody;
}

export interface Call {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
}

/** A real Nest application with the dialect's routes on a loopback port; only the engine is scripted. */
export class InitServer {
  private constructor(
    readonly app: NestFastifyApplication,
    readonly engine: ScriptedEngine,
    readonly port: number,
  ) {}

  static async start(setup: InitServerSetup = {}): Promise<InitServer> {
    const engine = new ScriptedEngine();
    const testing = await Test.createTestingModule({ imports: [initModule(setup, engine)] }).compile();
    const app = testing.createNestApplication<NestFastifyApplication>(setup.adapter ?? new FastifyAdapter());
    app.useLogger(false);
    setup.prepare?.(app);
    await app.listen(0, '127.0.0.1');
    return new InitServer(app, engine, (app.getHttpServer().address() as AddressInfo).port);
  }

  close(): Promise<void> {
    return this.app.close();
  }

  /** Sends exactly the given headers and bytes; only the length is added when no header frames the body. */
  send({ method = 'POST', path = '/v1/rollout/init', headers = {}, body }: Call = {}): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const isFramed = body === undefined || 'content-length' in headers || 'transfer-encoding' in headers;
      const framed = isFramed ? headers : { ...headers, 'content-length': Buffer.byteLength(body) };
      const outgoing = httpRequest({ host: '127.0.0.1', port: this.port, method, path, headers: framed, agent: false });
      outgoing.on('error', reject).on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('error', reject);
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            get json() {
              return JSON.parse(text) as AnswerBody;
            },
          });
        });
      });
      outgoing.end(body);
    });
  }

  /** Posts a JSON body to the init route. */
  init(body: unknown, headers: OutgoingHttpHeaders = {}): Promise<Answer> {
    return this.send({ headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) });
  }

  /** Writes raw bytes to a socket, half-closes it when asked, and gives everything that comes back. */
  raw(bytes: string | Buffer, { halfClose = false } = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect({ port: this.port, host: '127.0.0.1', allowHalfOpen: true });
      const chunks: Buffer[] = [];
      socket.on('data', (chunk) => chunks.push(chunk)).on('error', reject);
      socket.on('end', () => {
        socket.end();
        resolve(Buffer.concat(chunks).toString('latin1'));
      });
      socket.write(bytes);
      if (halfClose) socket.end();
    });
  }
}

/** Gives a way to start servers that are closed after each test. */
export function useInitServers(): (setup?: InitServerSetup) => Promise<InitServer> {
  const servers: InitServer[] = [];
  afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())));
  return async (setup) => {
    const server = await InitServer.start(setup);
    servers.push(server);
    return server;
  };
}

/** The bytes of an init request, with header lines of any kind. */
export function rawInit(body: string, extraHeaders = ''): string {
  const head = `POST /v1/rollout/init HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n${extraHeaders}`;
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** The smallest body that init takes. */
export function minimalInit(fields: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    rollout_id: 'r1',
    server_url: 'http://127.0.0.1:9',
    messages: [{ role: 'user', content: 'hi' }],
    completion_params: { temperature: 0.5 },
    ...fields,
  };
}

/** A host's root module with the dialect in it. */
export function initModule(setup: InitServerSetup, engine = new ScriptedEngine()): new () => object {
  const { agents = ['calculator'], module, adapter: _adapter, prepare: _prepare, ...options } = setup;

  @Module({
    ...module,
    imports: [engineModule(engine, agents), TrainerHttpModule.forRoot(options), OsmosisV02Module, OsmosisV03Module],
  })
  class HostModule {}
  return HostModule;
}

function engineModule(engine: ScriptedEngine, agents: readonly string[]): new () => object {
  const named = agents.map((name) => ({ name }));
  const find = (name: string | undefined): { name: string } => {
    const agent = named.find((candidate) => candidate.name === name);
    if (!agent) throw new AgentNotFoundError(name ?? 'default', agents);
    return agent;
  };
  const registry = { list: () => named, get: find, default: () => find(agents.length === 1 ? agents[0] : undefined) };

  @Global()
  @Module({
    providers: [
      TrainerRegistry,
      { provide: RolloutService, useValue: engine },
      { provide: RolloutControl, useValue: engine },
      { provide: AgentRegistry, useValue: registry },
      { provide: HttpTransport, useValue: {} },
    ],
    exports: [TrainerRegistry, RolloutService, RolloutControl, AgentRegistry, HttpTransport],
  })
  class EngineModule {}
  return EngineModule;
}
