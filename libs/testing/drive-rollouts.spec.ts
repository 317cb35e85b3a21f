import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { RolloutCompletionTracker } from './completion-tracker.js';
import { driveRollouts, type DriveRolloutsOptions, type RolloutTask } from './drive-rollouts.js';
import { createMockTrainerApp } from './mock-trainer/mock-trainer.app.js';

interface Init {
  readonly rollout_id: string;
  readonly server_url: string;
  readonly api_key?: string;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

type Answer = { readonly status: number; readonly body: string } | 'hang';

/** A rollout server of a few lines: accepts what it is told to and completes with the ground truth as the reward. */
class TinyServer {
  readonly inits: { readonly url: string; readonly authorization: string | undefined; readonly body: Init }[] = [];
  readonly handled: Promise<void>[] = [];
  readonly server: Server;

  constructor(private readonly answer: (init: Init) => Answer | Promise<Answer>) {
    this.server = createServer((request, response) => {
      // A driver that gives up may break a request off.
      this.handled.push(this.#handle(request, response).catch(() => {}));
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const init = JSON.parse(text) as Init;
    this.inits.push({ url: request.url ?? '', authorization: request.headers.authorization, body: init });
    const answer = await this.answer(init);
    if (answer === 'hang') return;
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answer.body);
    if (answer.status === 202 && init.metadata?.['lost'] !== true) await this.#complete(init);
  }

  async #complete(init: Init): Promise<void> {
    await fetch(`${init.server_url}/v1/rollout/completed`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${init.api_key ?? ''}` },
      body: JSON.stringify({ rollout_id: init.rollout_id, status: 'COMPLETED', reward: init.metadata?.['reward'] }),
    });
  }
}

const accepted = { status: 202, body: '{"rollout_id":"x","tools":[{"type":"function"}]}' };

describe('driveRollouts', () => {
  const tracker = new RolloutCompletionTracker();
  let trainer: NestFastifyApplication;
  let tiny: TinyServer;
  const servers: TinyServer[] = [];

  beforeAll(async () => {
    trainer = await createMockTrainerApp({ tracker, apiKey: 'trainer-key', logger: false });
    await trainer.listen(0, '127.0.0.1');
  });
  afterAll(() => trainer.close());
  afterEach(async () => {
    jest.useRealTimers();
    for (const { server, handled } of servers.splice(0)) {
      await Promise.all(handled);
      server.closeAllConnections();
      server.close();
    }
  });

  async function drive(
    answer: ConstructorParameters<typeof TinyServer>[0],
    tasks: readonly RolloutTask[],
    options: Partial<Omit<DriveRolloutsOptions, 'dialect'>> = {},
  ): ReturnType<typeof driveRollouts> {
    tiny = new TinyServer(answer);
    servers.push(tiny);
    await new Promise<void>((resolve) => tiny.server.listen(0, '127.0.0.1', resolve));
    const { port } = tiny.server.address() as AddressInfo;
    return driveRollouts({
      serverUrl: `http://127.0.0.1:${port}/`,
      trainerUrl: await trainer.getUrl(),
      trainerApiKey: 'trainer-key',
      tracker,
      tasks,
      ...options,
    });
  }

  /** Lets no time pass for the driver but by {@link passTime}; requests go on. */
  const stopTime = (): unknown =>
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'performance', 'hrtime', 'Date'] });
  const passTime = (): unknown => jest.advanceTimersByTime(30_000);

  const task = (metadata: Readonly<Record<string, unknown>>): RolloutTask => ({ messages: [], metadata });

  it('gives the completions in the order of the tasks, with ids of their own and no more in flight than allowed', async () => {
    const tasks = Array.from({ length: 12 }, (_, index) => task({ reward: index }));
    const heard: number[] = [];
    let peak = 0;
    const answer = async (): Promise<Answer> => {
      peak = Math.max(peak, tiny.inits.length - heard.length);
      await new Promise((resolve) => setTimeout(resolve, 20));
      return accepted;
    };
    const results = await drive(answer, tasks, {
      concurrency: 3,
      onResult: (_result, index) => heard.push(index),
    });
    expect(results.map((result) => result.completion?.reward)).toEqual(tasks.map((_, index) => index));
    expect(new Set(results.map((result) => result.rolloutId)).size).toBe(12);
    expect(heard.sort((a, b) => a - b)).toEqual(tasks.map((_, index) => index));
    expect(peak).toBeLessThanOrEqual(3);
    expect(results[0]).toMatchObject({
      initStatus: 202,
      timedOut: false,
      problem: null,
      tools: [{ type: 'function' }],
    });
    expect(results[0]?.latencyMs).toBeGreaterThan(0);
  });

  it('a completion that never comes is a result that timed out', async () => {
    stopTime();
    const [lost, good] = await drive(() => accepted, [task({ lost: true }), task({ reward: 1 })], {
      onResult: ({ completion }) => completion && passTime(),
    });
    expect(lost).toMatchObject({ completion: null, timedOut: true, problem: 'no completion within 30000 ms' });
    expect(good).toMatchObject({ timedOut: false, completion: { reward: 1 } });
  });

  it('an earlier completion of the same id is not taken for the new one', async () => {
    const again: RolloutTask = { messages: [], rolloutId: 'same', metadata: { reward: 1 } };
    await drive(() => accepted, [again]);
    stopTime();
    const answer = (): typeof accepted => {
      passTime();
      return accepted;
    };
    const [result] = await drive(answer, [{ ...again, metadata: { lost: true } }]);
    expect(result?.timedOut).toBe(true);
  });

  it('an init that is refused, odd, unanswered or impossible says why', async () => {
    const answers = {
      refused: { status: 422, body: '{"detail":"no"}' },
      odd: { status: 202, body: '[]' },
    } as const;
    const tasks = Object.keys(answers).map((kind) => task({ kind }));
    const results = await drive((init) => answers[init.metadata?.['kind'] as keyof typeof answers], tasks);
    results.push(...(await drive(() => 'hang', [task({})], { timeoutMs: 200 })));
    expect(results.map(({ initStatus, timedOut }) => [initStatus, timedOut])).toEqual([
      [422, false],
      [202, false],
      [null, false],
    ]);
    expect(results[0]?.problem).toBe('init was answered 422: {"detail":"no"}');
    expect(results[1]?.problem).toBe('init was answered 202: []');
    expect(results[2]?.problem).toMatch(/init failed: .*timeout/);
    const [impossible] = await drive(() => accepted, [task({})], { serverUrl: 'http://127.0.0.1:1' });
    expect(impossible?.problem).toMatch(/init failed: fetch failed \(/);
  });

  it('sends the key of the server, the route of the agent, and only what the task says', async () => {
    await drive(() => accepted, [{ messages: [], agent: 'two words', maxTurns: 3 }], { apiKey: 'server-key' });
    const [init] = tiny.inits;
    expect([init?.url, init?.authorization]).toEqual(['/agents/two%20words/v1/rollout/init', 'Bearer server-key']);
    expect(Object.keys(init?.body ?? {})).toEqual([
      'rollout_id',
      'server_url',
      'messages',
      'completion_params',
      'max_turns',
      'api_key',
    ]);
  });
});
