import { request } from 'node:http';
import { relative, resolve } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  createMockTrainerApp,
  delayed,
  driveRollouts,
  RequestRecorder,
  RolloutCompletionTracker,
  toolCall,
  type DrivenRollout,
  type MockScript,
  type RolloutTask,
} from '#testing';
import { toolMessages } from './support/assertions.js';
import { CompiledPackage } from './support/compiled.package.js';
import { HealthPoller } from './support/health.poller.js';
import { PATIENT, until } from './support/init.js';
import { ServerProcess } from './support/server.process.js';

jest.setTimeout(150_000);

const ROOT = resolve(__dirname, '..');
/** The server under test: agents that do the worst, and the example of docs/isolation.md. */
const APPLICATION = ['test/fixtures/isolated-app', 'docs/examples/isolation'];
const messages = [{ role: 'user', content: 'Please help' }];
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A real server in a process of its own, whose tools and rewards do the worst that they can. */
describe('isolation of user code', () => {
  const tracker = new RolloutCompletionTracker(PATIENT);
  const recorder = new RequestRecorder({ limit: 10_000 });
  let script: MockScript = [];
  let compiled: CompiledPackage;
  let trainer: NestFastifyApplication;
  let trainerUrl: string;
  let server: ServerProcess;
  const servers: ServerProcess[] = [];

  beforeAll(async () => {
    compiled = await CompiledPackage.create();
    for (const folder of APPLICATION) await compiled.compile(folder, `js/${folder}`);
    trainer = await createMockTrainerApp({
      tracker,
      recorder,
      logger: false,
      script: (request, turn) => (typeof script === 'function' ? script(request, turn) : script[turn]!),
    });
    await trainer.listen(0, '127.0.0.1');
    trainerUrl = await trainer.getUrl();
    server = await start();
  });
  afterAll(async () => {
    await Promise.all(servers.map((started) => started.stop('SIGKILL')));
    await trainer?.close();
    await compiled?.remove();
  });
  beforeEach(() => {
    tracker.clear();
    recorder.clear();
  });

  async function start(
    env: Readonly<Record<string, string>> = {},
    entry = 'js/test/fixtures/isolated-app/main.js',
  ): Promise<ServerProcess> {
    const started = await ServerProcess.start(env, relative(ROOT, compiled.path(entry)));
    servers.push(started);
    return started;
  }

  function drive(tasks: readonly RolloutTask[]): Promise<DrivenRollout[]> {
    const concurrency = tasks.length;
    return driveRollouts({ serverUrl: server.url, trainerUrl, tracker, tasks, concurrency, timeoutMs: 100_000 });
  }

  /** The text that the model gets from one call of a tool. */
  async function resultOf(name: string, args: Record<string, unknown> = {}): Promise<string> {
    script = [[toolCall(name, args)], 'done'];
    const [result] = await drive([{ messages }]);
    expect(result!.completion).toMatchObject({ status: 'COMPLETED' });
    return toolMessages(result!.completion!)[0]!.content;
  }

  it('a tool runs in a thread, with its input as an instance of its class and of those nested in it', async () => {
    const corners = [
      { x: 0, y: 0 },
      { x: 3, y: 0 },
      { x: 3, y: 4 },
    ];
    expect(JSON.parse(await resultOf('measure', { name: 'triangle', corners }))).toEqual({
      thread: expect.any(Number),
      perimeter: '12 m',
      ownThread: true,
      at: '1970-01-01T00:00:00.000Z',
    });
  });

  it.each([
    ['spin', /^Error: Tool spin did not finish within its time limit of 500 ms$/],
    ['leave', /^Error: ThreadsAgent\.leave ended its thread with process\.exit \(code 7\)$/],
    ['hoard', /^Error: ThreadsAgent\.hoard ran out of memory/],
    ['late', /^Error: ThreadsAgent\.late ended its thread by an error that nobody caught: thrown by a timer$/],
    ['log', /^Error: .*\(an isolated method has no injected or initialised fields; missing here: this\.audit\)$/],
    ['closure', /^Error: .*could not be cloned/],
  ])('%s: the model is told, and the server goes on', async (name, text) => {
    expect(await resultOf(name)).toMatch(text);
    expect(server.child.exitCode).toBeNull();
    expect(await resultOf('measure', { name: 'point', corners: [] })).toContain('"perimeter": "0 m"');
  });

  it('guards, pipes, interceptors and request scope work on the main thread, around the thread', async () => {
    expect(await resultOf('letters', { word: 'abc' })).toBe('main 0: thread true, 6 letters');
    expect(await resultOf('closed')).toBe('Error: Forbidden resource');
  });

  it('docs/isolation.md: a pattern that would take years has two seconds', async () => {
    expect(await resultOf('tryPattern', { pattern: 'b+', text: 'abba' })).toBe('bb');
    expect(await resultOf('tryPattern', { pattern: '^(a+)+$', text: `${'a'.repeat(60)}!` })).toBe(
      'Error: Tool tryPattern did not finish within its time limit of 2000 ms',
    );
  });

  it('a start with methods that no thread could run says which, and why', async () => {
    const said: unknown = await start({}, 'js/test/fixtures/isolated-app/wrong.main.js').catch(
      (error: unknown) => error,
    );
    const lines = String(said).split('\n');
    const problems = lines.filter((line) => /^ +- /.test(line)).map((line) => line.replace(/^ +- /, ''));
    expect(problems.sort()).toEqual([
      expect.stringMatching(
        /^ChildAgent\.inherited \(AppModule\): .*ChildAgent is not exported from .*wrong\.agents\.js/,
      ),
      expect.stringMatching(/^ContextualAgent\.ask \(AppModule\): the tool is isolated and takes a context/),
      expect.stringMatching(/^EntryAgent\.enter \(AppModule\): .*its class is in the program's entry file/),
      expect.stringMatching(/^HiddenAgent\.hide \(AppModule\): .*HiddenAgent is not exported from .*wrong\.agents\.js/),
    ]);
  });

  it('RW-10: an endless reward among 500 rollouts ends as deadline/reward, the others have theirs', async () => {
    const count = 500;
    const looping = 250;
    let poller: HealthPoller | undefined;
    let asked = 0;
    // No model answers before all are in flight; then the answers come as they come.
    const allInFlight = new Promise<void>((resolve) => {
      script = async () => {
        if (++asked === count) resolve();
        await allInFlight;
        poller ??= new HealthPoller(`${server.url}/health`);
        return delayed(200 + 1_500 * Math.random(), 'yes');
      };
    });
    const results = await drive(
      Array.from({ length: count }, (_, index) => ({
        messages,
        metadata: { ground_truth: 'yes', loop: index === looping },
      })),
    );
    const latencies = await poller!.stop();
    process.stdout.write(
      `GET /health beside an endless loop: ${latencies.length} answers, the slowest ${latencies[0]!.toFixed(0)} ms\n`,
    );
    expect(latencies.length).toBeGreaterThan(10);

    const [cut] = results.splice(looping, 1);
    expect(results.map(({ completion }) => completion?.reward)).toEqual(results.map(() => 1));
    expect(cut!.completion).toMatchObject({
      status: 'COMPLETED',
      extra_fields: {
        failure: {
          class: 'deadline',
          phase: 'reward',
          code: 'REWARD_TIMEOUT',
          message: expect.stringContaining('ThreadsAgent.judged did not finish within its timeout of 1000 ms'),
        },
      },
    });
    expect(cut!.completion).not.toHaveProperty('reward');
    expect(tracker.responses).toHaveLength(count);
  });

  it('a server with idle threads ends by itself', async () => {
    expect(await server.stop('SIGTERM')).toBe(0);
  });

  it('TypeScript that a loader compiles runs in threads as well', async () => {
    for (const folder of APPLICATION) await compiled.copy(folder, `ts/${folder}`);
    await compiled.copy('src/loading/tsconfig.default.json', 'tsconfig.json');
    const loader = { NODE_OPTIONS: '--import @swc-node/register/esm-register' };
    server = await start(
      { ...loader, SWC_NODE_PROJECT: compiled.path('tsconfig.json') },
      'ts/test/fixtures/isolated-app/main.ts',
    );
    expect(await resultOf('letters', { word: 'abc' })).toBe('main 0: thread true, 6 letters');
  });

  it('LC-13: a tool that blocks the event loop for 4 s is named, and nothing else times out or runs twice', async () => {
    server = await start({ CHAT_TIMEOUT_MS: '3500' });
    let grind = (): void => {};
    let answer = (): void => {};
    const mayGrind = new Promise<void>((resolve) => (grind = resolve));
    const mayAnswer = new Promise<void>((resolve) => (answer = resolve));
    script = async ({ rollout_id }, turn) => {
      if (turn > 0) return 'done';
      if (rollout_id === 'grinder') return mayGrind.then(() => [toolCall('grind')]);
      if (rollout_id.startsWith('waiting')) await mayAnswer;
      return [toolCall('glance')];
    };
    const task = { messages, agent: 'blocking' };
    const waiting = drive([1, 2, 3, 4, 5].map((number) => ({ ...task, rolloutId: `waiting-${number}` })));
    const grinding = drive([{ ...task, rolloutId: 'grinder' }]);
    // Their first requests are out before the block: what was not sent cannot be answered in time.
    await until(() => recorder.chats.length === 6, 'all have asked');
    grind();
    await until(() => server.output.includes('{"event":"grinding"}'), 'the event loop is blocked');
    answer();
    const impatient = [1, 2, 3, 4, 5].map((number) => insist(`impatient-${number}`));

    const results = [...(await waiting), ...(await grinding)];
    await Promise.all(impatient);
    const completions = await tracker.waitForCount(11, 60_000);
    expect(results.map(({ completion }) => completion?.status)).toEqual(results.map(() => 'COMPLETED'));
    expect(new Set(completions.map(({ rollout_id }) => rollout_id)).size).toBe(11);
    for (const completion of completions) {
      expect(toolMessages(completion).map(({ content }) => content)).toEqual([
        completion.rollout_id === 'grinder' ? 'ground' : 'seen',
      ]);
    }
    expect(recorder.chats).toHaveLength(22);
    const warning =
      /The event loop was blocked for ([4-9]|\d\d)\d{3} ms, .* Last entered: tool BlockingAgent\.grind of agent 'blocking'\. If it computes, use @Tool\(\{ isolate: true \}\)\./;
    await until(() => warning.test(server.output), 'the tool is named');
  });

  /** Sends an init as a trainer without patience does: again and again until it is answered within a second. */
  async function insist(rolloutId: string): Promise<void> {
    const body = JSON.stringify({ rollout_id: rolloutId, server_url: trainerUrl, messages, completion_params: {} });
    for (let tries = 0; tries < 20; tries++) {
      const status = await post('/agents/blocking/v1/rollout/init', body);
      if (status === 202) return;
      // What was blocked for longer than rollouts.maxLagMs asks for patience.
      if (status === 429) await sleep(1_000);
    }
    throw new Error(`the init of ${rolloutId} was never accepted`);
  }

  /** The status of the answer; null when none comes within a second. */
  function post(path: string, body: string): Promise<number | null> {
    return new Promise((resolve) => {
      const headers = { 'content-type': 'application/json' };
      const outgoing = request(`${server.url}${path}`, { method: 'POST', headers, agent: false });
      outgoing.setTimeout(1_000, () => outgoing.destroy());
      outgoing.on('error', () => resolve(null));
      outgoing.on('response', (response) => response.resume().on('end', () => resolve(response.statusCode ?? null)));
      outgoing.end(body);
    });
  }
});
