import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { JournalReader } from '#rollout/store/sqlite';
import {
  createMockTrainerApp,
  delayed,
  FaultPlan,
  RequestRecorder,
  RolloutCompletionTracker,
  toolCall,
} from '#testing';
import { PATIENT, until } from './support/init.js';
import { ServerProcess } from './support/server.process.js';

const API_KEY = 'server-key-SECRET-9c1b';
const TRAINER_KEY = 'SECRET-7f3a';
/** How long the model takes for a turn, in milliseconds. */
const AT_ONCE = (): number => 0;
/** Longer than any of these tests. */
const NEVER = (): number => 600_000;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Real processes, really killed. */
describe('a server that dies', () => {
  let dataDir: string;
  let trainer: NestFastifyApplication;
  let trainerUrl: string;
  let server: ServerProcess | undefined;
  let faults: FaultPlan;
  let turnDelayMs: () => number;
  const tracker = new RolloutCompletionTracker(PATIENT);
  const recorder = new RequestRecorder({ limit: 100_000 });

  beforeAll(async () => {
    trainer = await createMockTrainerApp({
      tracker,
      recorder,
      apiKey: TRAINER_KEY,
      logger: false,
      script: (_request, turn) =>
        delayed(turnDelayMs(), turn === 0 ? [toolCall('add', { a: 1, b: 2 }, 'call_1')] : '3'),
    });
    await trainer.listen(0, '127.0.0.1');
    trainerUrl = await trainer.getUrl();
    faults = trainer.get(FaultPlan);
  });
  afterAll(() => trainer.close());
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'osmosis-'));
    turnDelayMs = AT_ONCE;
    tracker.clear();
    recorder.clear();
  });
  afterEach(async () => {
    await server?.stop('SIGKILL');
    server = undefined;
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function start(env: Record<string, string> = {}): Promise<ServerProcess> {
    return (server = await ServerProcess.start({
      OSMOSIS_API_KEY: API_KEY,
      OSMOSIS_ROLLOUT_STORE: 'sqlite',
      OSMOSIS_ROLLOUT_DATA_DIR: dataDir,
      ...env,
    }));
  }

  async function init(rolloutId: string): Promise<number> {
    const response = await fetch(`${server!.url}/v1/rollout/init`, {
      method: 'POST',
      signal: server!.death,
      headers: { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` },
      body: JSON.stringify({
        rollout_id: rolloutId,
        server_url: trainerUrl,
        messages: [{ role: 'user', content: '1 + 2?' }],
        completion_params: {},
        metadata: { ground_truth: '3' },
        api_key: TRAINER_KEY,
      }),
    });
    await response.arrayBuffer();
    return response.status;
  }

  /** Bodies of all completions of a rollout, one for each attempt that reached the trainer. */
  function completionsOf(rolloutId: string): string[] {
    return recorder.completions.filter((request) => request.rolloutId === rolloutId).map((request) => request.rawBody);
  }

  /** What a rollout has said so far is stored now and then. */
  function isConversationStored(rolloutId: string): boolean {
    const reader = new JournalReader(dataDir);
    try {
      return reader.conversation(rolloutId).length > 0;
    } finally {
      reader.close();
    }
  }

  it('killed at 20 random moments under load: each of 200 rollouts ends once, without contradiction', async () => {
    turnDelayMs = () => 150 * Math.random();
    const kills = Array.from({ length: 20 }, (_, kill) => kill);
    const ids = Array.from({ length: 200 }, (_, index) => `r${index}`);
    const accepted = new Set<string>();
    // By rollouts rather than by the clock, which a slow machine reads differently: none to five of a batch's ten ended.
    const endedBefore = (kill: number): number => kill % 6;
    const ended = async (batch: readonly string[], count: number): Promise<void> => {
      const have = (): number => tracker.responses.filter((response) => batch.includes(response.rollout_id)).length;
      await until(() => have() >= count, `${count} of a batch end`);
    };
    for (const kill of kills) {
      await start();
      const batch = ids.slice(kill * 10, kill * 10 + 10);
      const dying = ended(batch, endedBefore(kill))
        .then(() => sleep(Math.random() * 200))
        .then(() => server!.stop('SIGKILL'));
      await Promise.all(
        batch.map((id) =>
          init(id).then(
            (status) => status === 202 && accepted.add(id),
            () => undefined,
          ),
        ),
      );
      await dying;
    }
    await start();
    // What was not answered 202 is sent again, as a trainer does.
    for (const id of ids.filter((candidate) => !accepted.has(candidate))) expect(await init(id)).toBe(202);

    const done = (): Set<string> => new Set(tracker.responses.map((response) => response.rollout_id));
    await until(() => done().size >= ids.length, 'every rollout ends');
    expect(ids.filter((id) => !done().has(id))).toEqual([]);
    for (const id of ids) expect(new Set(completionsOf(id)).size).toBe(1);
    const errors = tracker.responses.filter((response) => response.status === 'ERROR');
    for (const { extra_fields: extra } of errors) expect(extra).toMatchObject({ failure: { class: 'shutdown' } });
    // The twenty kills left something to recover, and what had ended well stayed so.
    expect(errors.length).toBeGreaterThan(0);
    const endedWell = kills.map(endedBefore).reduce((sum, count) => sum + count);
    expect(tracker.responses.filter((response) => response.status === 'COMPLETED').length).toBeGreaterThanOrEqual(
      endedWell,
    );
  }, 600_000);

  it('a rollout that ran is told as ERROR with what is known, one that waited is run', async () => {
    turnDelayMs = NEVER;
    await start({ OSMOSIS_ROLLOUT_SERVER_MAX_CONCURRENT_ROLLOUTS: '1' });
    expect(await init('running')).toBe(202);
    expect(await init('waiting')).toBe(202);
    await until(() => recorder.chats.length > 0);
    await until(() => isConversationStored('running'));
    await server!.stop('SIGKILL');
    turnDelayMs = AT_ONCE;
    await start();
    const running = await tracker.waitFor('running');
    expect(running).toMatchObject({
      status: 'ERROR',
      final_messages: [{ role: 'user', content: '1 + 2?' }],
      extra_fields: { failure: { class: 'shutdown', retryable: true } },
    });
    expect(running.reward).toBeUndefined();
    expect(await tracker.waitFor('waiting')).toMatchObject({ status: 'COMPLETED', reward: 1 });
    // An old request gets its old answer, and runs nothing.
    const chats = recorder.chats.length;
    expect(await init('waiting')).toBe(202);
    await sleep(200);
    expect(recorder.chats).toHaveLength(chats);
  }, 120_000);

  it('a finished rollout whose trainer is down is delivered after a restart, with the same bytes and key', async () => {
    faults.add({ route: 'completed', faults: [503], repeat: true });
    await start();
    expect(await init('kept')).toBe(202);
    await until(() => completionsOf('kept').length > 0);
    await server!.stop('SIGKILL');
    faults.clear();
    await start();
    await tracker.waitFor('kept');
    const attempts = recorder.completions.filter((request) => request.rolloutId === 'kept');
    expect(attempts.length).toBeGreaterThan(1);
    expect(new Set(attempts.map((request) => request.rawBody)).size).toBe(1);
    expect(new Set(attempts.map((request) => request.headers['idempotency-key'])).size).toBe(1);
  }, 120_000);

  it('SIGTERM: running rollouts end as shutdown, are told, and the server exits 0', async () => {
    turnDelayMs = NEVER;
    await start();
    expect(await init('cut')).toBe(202);
    await until(() => recorder.chats.length > 0);
    expect(await server!.stop('SIGTERM')).toBe(0);
    expect(tracker.responses).toMatchObject([{ rollout_id: 'cut', status: 'ERROR' }]);
  }, 120_000);

  it('a second server on the same data directory does not start', async () => {
    await start();
    const second = ServerProcess.start({ OSMOSIS_ROLLOUT_STORE: 'sqlite', OSMOSIS_ROLLOUT_DATA_DIR: dataDir });
    await expect(second).rejects.toThrow(/Another server uses the data directory/);
  }, 120_000);

  it('A-NOKEY: no key lies in the data directory or in the log', async () => {
    await start();
    expect(await init('secret')).toBe(202);
    await tracker.waitFor('secret');
    await server!.stop('SIGKILL');
    const { execFileSync } = await import('node:child_process');
    const grep = (): string => execFileSync('grep', ['-rla', 'SECRET-', dataDir]).toString();
    expect(grep).toThrow();
    expect(server!.output).not.toContain('SECRET-');
  }, 120_000);
});
