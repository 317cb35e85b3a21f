import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  createMockTrainerApp,
  delayed,
  FaultPlan,
  RequestRecorder,
  RolloutCallbackTracker,
  rolloutUrls,
  toolCall,
  type RecordedRequest,
} from '#testing';
import { createProject, endProcesses, ensureBuilt, removeProjects, startCli } from './support/cli.js';
import { PATIENT, until } from './support/init.js';
import { ServerProcess } from './support/server.process.js';

const CALLBACK_KEY = 'SECRET-7f3a';
const MODEL_KEY = 'SECRET-9c1b';
/** How long the model takes for a turn, in milliseconds. */
const AT_ONCE = (): number => 0;
/** Longer than any of these tests. */
const NEVER = (): number => 600_000;

/** Its reward does not end. */
const SLOW_AGENT = `
import { Agent, Reward } from 'nestjs-osmosis';

@Agent({ name: 'slow', description: 'Is never graded' })
export class SlowAgent {
  @Reward()
  never(_solutionStr: string, _groundTruth: string): Promise<number> {
    return new Promise(() => {});
  }
}
`;

/** Real processes, really killed: both callbacks survive, in their order (kill -9, SQLite). */
describe('a server of dialect 0.3 that dies', () => {
  let dataDir: string;
  let trainer: NestFastifyApplication;
  let trainerUrl: string;
  let server: ServerProcess | undefined;
  let faults: FaultPlan;
  let turnDelayMs: () => number;
  const callbacks = new RolloutCallbackTracker(PATIENT);
  const recorder = new RequestRecorder({ limit: 100_000 });

  beforeAll(async () => {
    await ensureBuilt();
    trainer = await createMockTrainerApp({
      callbacks,
      recorder,
      apiKey: CALLBACK_KEY,
      modelKey: MODEL_KEY,
      logger: false,
      // An agent without tools is answered at once.
      script: ({ tools }, turn) =>
        delayed(turnDelayMs(), turn === 0 && tools ? [toolCall('add', { a: 1, b: 2 }, 'call_1')] : '3'),
    });

    await trainer.listen(0, '127.0.0.1');
    trainerUrl = await trainer.getUrl();
    faults = trainer.get(FaultPlan);
  });
  afterAll(() => trainer.close());
  afterAll(removeProjects);
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'osmosis-'));
    turnDelayMs = AT_ONCE;
    callbacks.clear();
    recorder.clear();
    faults.clear();
  });
  afterEach(async () => {
    await endProcesses();
    await server?.stop('SIGKILL');
    server = undefined;
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function start(env: Record<string, string> = {}): Promise<void> {
    server = await ServerProcess.start({
      OSMOSIS_ROLLOUT_STORE: 'sqlite',
      OSMOSIS_ROLLOUT_DATA_DIR: dataDir,
      ...env,
    });
  }

  async function post(rolloutId: string, serverUrl = server!.url): Promise<number> {
    const response = await fetch(`${serverUrl}/rollout`, {
      method: 'POST',
      signal: server?.death ?? null,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        rollout_id: rolloutId,
        initial_messages: [{ role: 'user', content: '1 + 2?' }],
        label: '3',
        controller_api_key: CALLBACK_KEY,
        llm_api_key: MODEL_KEY,
        ...rolloutUrls(trainerUrl, rolloutId),
      }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  async function status(rolloutId: string): Promise<unknown> {
    return (await fetch(`${server!.url}/rollout/${rolloutId}/status`)).json();
  }

  const arrival = (isMeant: (request: RecordedRequest) => boolean): Promise<void> =>
    until(() => recorder.requests.some(isMeant), isMeant.toString());

  const kindsOf = (rolloutId: string): string[] => callbacks.of(rolloutId).map(({ kind }) => kind);
  const postsTo = (path: 'completion' | 'grader'): readonly RecordedRequest[] =>
    recorder.callbacks.filter((request) => request.path.endsWith(`/${path}`));

  it('killed at 6 random moments under load: each of 60 rollouts is told, completion first, without contradiction', async () => {
    turnDelayMs = () => 150 * Math.random();
    const ids = Array.from({ length: 60 }, (_, index) => `r${index}`);
    const accepted = new Set<string>();
    for (let kill = 0; kill < 6; kill++) {
      await start();
      const dying = sleep(20 + Math.random() * 300).then(() => server!.stop('SIGKILL'));
      const batch = ids.slice(kill * 10, kill * 10 + 10);
      await Promise.all(
        batch.map((id) =>
          post(id).then(
            (answer) => answer === 202 && accepted.add(id),
            () => undefined,
          ),
        ),
      );
      await dying;
    }
    await start();
    // Some that nobody kills, so that there are good ends to compare with.
    const undisturbed = Array.from({ length: 5 }, (_, index) => `undisturbed${index}`);
    ids.push(...undisturbed);
    // A dead server may have accepted more than it could say; those get their old answer.
    for (const id of ids.filter((candidate) => !accepted.has(candidate))) expect(await post(id)).toBe(202);
    for (const id of ids) await callbacks.waitForGrade(id);

    for (const id of ids) {
      expect(kindsOf(id)[0]).toBe('completion');
      const bodies = recorder.callbacks.filter((request) => request.rolloutId === id).map(({ rawBody }) => rawBody);
      // Repeated with the same bytes, if at all.
      expect(new Set(bodies).size).toBe(2);
    }
    const graded = callbacks.responses.filter(({ kind, body }) => kind === 'grader' && body.status === 'success');
    expect(graded.map(({ body }) => body.rollout_id)).toEqual(expect.arrayContaining(undisturbed));
  }, 240_000);

  it.each(['completion', 'grader'] as const)(
    'a %s that was not acknowledged is told after a restart, with the same bytes, key and bearer',
    async (path) => {
      faults.add({ route: path, faults: [503], repeat: true });
      await start();
      expect(await post('kept')).toBe(202);
      await arrival((request) => request.path.endsWith(`/${path}`));
      await server!.stop('SIGKILL');
      faults.clear();
      await start();
      const grade = await callbacks.waitForGrade('kept');
      expect(grade).toMatchObject({ status: 'success', sample: { reward: 1, label: '3' } });
      // Where the grader's turn had come, the completion's acknowledgement may not have been on the disk: then that is told
      // again, with the same bytes.
      const kinds = kindsOf('kept');
      const once = path === 'completion' ? kinds : kinds.filter((kind, at) => kind !== kinds[at - 1]);
      expect(once).toEqual(['completion', 'grader']);
      expect(new Set(recorder.callbacks.map(({ rawBody }) => rawBody)).size).toBe(2);
      const posts = postsTo(path);
      expect(posts.length).toBeGreaterThan(1);
      for (const value of ['idempotency-key', 'authorization']) {
        expect(new Set(posts.map(({ headers }) => headers[value])).size).toBe(1);
      }
      expect(new Set(posts.map(({ rawBody }) => rawBody)).size).toBe(1);
    },
    120_000,
  );

  it('killed while scoring: the completion that was told stands, the grade says what is missing', async () => {
    const cwd = createProject({ 'agent.ts': SLOW_AGENT });
    const args = ['serve', '-m', 'agent.ts', '--local', '-H', '127.0.0.1', '-p', '0', '--data-dir', dataDir];
    const slow = startCli(args, { cwd });
    const { url } = await slow.listening();
    expect(await post('scoring', url)).toBe(202);
    expect(await callbacks.waitForCompletion('scoring')).toMatchObject({ status: 'success' });
    await slow.stop('SIGKILL');
    await start();
    const grade = await callbacks.waitForGrade('scoring');
    expect(grade).toMatchObject({
      status: 'failure',
      err_message: expect.stringContaining('ended before its rewards'),
    });
    expect(grade.sample).toMatchObject({ reward: null, label: '3' });
    expect(grade.sample?.messages.at(-1)).toMatchObject({ role: 'assistant', content: '3' });
    // Told again if the kill came before its acknowledgement was written down, but never otherwise.
    expect(new Set(postsTo('completion').map(({ rawBody }) => rawBody)).size).toBe(1);
    expect(await status('scoring')).toMatchObject({ status: 'failure' });
  }, 120_000);

  it('a rollout that ran is told as a failure, one that waited is run, with its own llm key', async () => {
    turnDelayMs = NEVER;
    await start({ OSMOSIS_ROLLOUT_SERVER_MAX_CONCURRENT_ROLLOUTS: '1' });
    expect(await post('running')).toBe(202);
    expect(await post('waiting')).toBe(202);
    await arrival((request) => request.path.endsWith('/chat/completions'));
    await server!.stop('SIGKILL');
    turnDelayMs = AT_ONCE;
    await start();
    expect(await callbacks.waitForCompletion('running')).toMatchObject({
      status: 'failure',
      err_category: 'agent_error',
    });
    expect(await callbacks.waitForGrade('running')).toMatchObject({ status: 'failure', sample: null });
    expect(await callbacks.waitForGrade('waiting')).toMatchObject({ status: 'success', sample: { reward: 1 } });
  }, 120_000);

  it('A-NOKEY: neither key lies in the data directory or in the log', async () => {
    await start();
    expect(await post('secret')).toBe(202);
    await callbacks.waitForGrade('secret');
    await server!.stop('SIGKILL');
    const { execFileSync } = await import('node:child_process');
    expect(() => execFileSync('grep', ['-rla', 'SECRET-', dataDir])).toThrow();
    expect(server!.output).not.toContain('SECRET-');
  }, 120_000);
});
