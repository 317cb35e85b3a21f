import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
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
import { endProcesses, ensureBuilt, removeProjects, runCli } from './support/cli.js';
import { PATIENT } from './support/init.js';
import {
  isAlive,
  PATIENT_STOP,
  reservedPort,
  ServedWorkers,
  until,
  type Answer,
  type Connection,
} from './support/served.workers.js';

jest.setTimeout(240_000);

/** Longer than any of these tests, in milliseconds. */
const NEVER = 600_000;

/** Real processes, really killed; only the model is scripted. */
describe('osmosis serve --workers 2', () => {
  const tracker = new RolloutCompletionTracker(PATIENT);
  const recorder = new RequestRecorder({ limit: 100_000 });
  let trainer: NestFastifyApplication;
  let trainerUrl: string;
  let faults: FaultPlan;
  let turnDelayMs = 0;
  /** What holds the model back. */
  let held: Promise<void> | undefined;
  let connections: Connection[] = [];

  beforeAll(async () => {
    await ensureBuilt();
    trainer = await createMockTrainerApp({
      tracker,
      recorder,
      logger: false,
      script: async (request, turn) => {
        if (request.rollout_id.startsWith('block')) return [toolCall('block', {}, 'call_1')];
        const isProbe = request.rollout_id.startsWith('who');
        if (!isProbe) await held;
        const delayMs = isProbe ? 0 : turnDelayMs * (0.5 + Math.random() / 2);
        return delayed(delayMs, turn === 0 ? [toolCall('add', { a: 1, b: 2 }, 'call_1')] : '3');
      },
    });
    await trainer.listen(0, '127.0.0.1');
    trainerUrl = await trainer.getUrl();
    faults = trainer.get(FaultPlan);
  });
  beforeEach(() => {
    turnDelayMs = 0;
    held = undefined;
    faults.clear();
    tracker.clear();
    recorder.clear();
  });
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.close();
  });
  afterAll(async () => {
    await trainer.close();
    removeProjects();
  });

  function connect(server: ServedWorkers, count: number): Connection[] {
    const made = Array.from({ length: count }, () => server.connect());
    connections = [...connections, ...made];
    return made;
  }

  async function connectToEach(server: ServedWorkers): Promise<[Connection, Connection]> {
    const each = await server.connectToEach(trainerUrl);
    connections = [...connections, ...each.values()];
    const [one, two] = [each.get(1)!, each.get(2)!];
    // The rollouts that have found out who is who count as well.
    await until('no rollout is active', async () => (await one.json('GET', '/health'))['active_rollouts'] === 0);
    return [one, two];
  }

  /** Holds the model back until it is released. */
  function holdModel(): () => void {
    let release = (): void => {};
    held = new Promise((resolve) => (release = resolve));
    return release;
  }

  const idsOf = (count: number, prefix = 'r'): string[] => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
  const chatsOf = (id: string): number => recorder.chats.filter(({ rolloutId }) => rolloutId === id).length;
  /** One for each attempt that reached the trainer. */
  const completionsOf = (id: string): string[] =>
    recorder.completions.filter(({ rolloutId }) => rolloutId === id).map(({ rawBody }) => rawBody);
  const ended = (): Set<string> => new Set(tracker.responses.map(({ rollout_id: id }) => id));
  const allEnded = (ids: readonly string[]): Promise<void> =>
    until(`${ids.length} completions`, () => ids.every((id) => ended().has(id)));

  /** As a trainer does: again until the init is answered. */
  async function initUntilAccepted(server: ServedWorkers, connection: Connection, id: string): Promise<Answer> {
    for (let tries = 0; ; tries++) {
      try {
        const answer = await connection.init(trainerUrl, id);
        if (answer.status === 202) return answer;
      } catch (error) {
        if (tries > 50) throw error;
        await wait(100);
        [connection] = connect(server, 1) as [Connection];
      }
    }
  }

  /** Rollouts that were run to find out which connection leads where. */
  const chatsOfProbes = (): number => [...ended()].filter((id) => id.startsWith('who')).length;

  describe('as one server', () => {
    let server: ServedWorkers;
    let one: Connection;
    let two: Connection;

    beforeAll(async () => {
      server = await ServedWorkers.start();
    });
    beforeEach(async () => {
      [one, two] = await connectToEach(server);
    });
    afterAll(endProcesses);

    it('500 rollouts, each init sent to both workers at once: one run, one answer, one completion each', async () => {
      const ids = idsOf(500);
      const answers = await Promise.all(
        ids.map(async (id, index) => {
          // Half of the requests have a key, too.
          const key = index % 2 === 0 ? {} : { idempotency_key: `key of ${id}` };
          return Promise.all([one.init(trainerUrl, id, key), two.init(trainerUrl, id, key)]);
        }),
      );
      for (const [index, [first, second]] of answers.entries()) {
        expect(first.status).toBe(202);
        expect(second).toEqual(first);
        expect(JSON.parse(first.body)).toMatchObject({ rollout_id: ids[index] });
      }
      await allEnded(ids);
      const ranAt = (number: number): number => server.cli.stderr.match(new RegExp(`"worker":${number}`, 'g'))!.length;
      expect(Math.min(ranAt(1), ranAt(2))).toBeGreaterThan(0);
      for (const id of ids) expect([id, chatsOf(id), completionsOf(id).length]).toEqual([id, 2, 1]);

      // What is known is known to both, also that it has ended; and another request under its id or key is refused.
      const again = { idempotency_key: 'key of r1' };
      for (const connection of [one, two]) {
        expect(await connection.init(trainerUrl, 'r0')).toEqual(answers[0]![0]);
        expect(JSON.parse((await connection.init(trainerUrl, 'another', again)).body)).toMatchObject({
          rollout_id: 'r1',
        });
        expect((await connection.init(trainerUrl, 'r0', { max_turns: 3 })).status).toBe(409);
        expect((await connection.init(trainerUrl, 'new', { ...again, max_turns: 3 })).status).toBe(409);
      }
      expect(chatsOf('r0') + chatsOf('r1')).toBe(4);
      await until('health', async () => (await one.json('GET', '/health'))['active_rollouts'] === 0);
      const health = await Promise.all([one, two].map((connection) => connection.json('GET', '/health')));
      expect(health[0]).toMatchObject({ completed_rollouts: 500 + chatsOfProbes() });
      expect(health[1]).toEqual(health[0]);
    });

    it('looking at and cancelling rollouts works for the whole server, whichever worker is asked', async () => {
      turnDelayMs = NEVER;
      const ids = idsOf(4, 'job-');
      for (const id of ids) expect((await one.init(trainerUrl, id)).status).toBe(202);
      await until('all chats', () => ids.every((id) => chatsOf(id) === 1));

      expect(await two.json('GET', '/health')).toMatchObject({
        active_rollouts: 4,
        concurrency: { running: 4, queued: 0, max_concurrent: 1_000 },
      });
      expect(await two.json('GET', '/v1/rollout/job-0')).toMatchObject({ state: 'running', phase: 'model' });
      const listed = (await two.json('GET', '/v1/rollouts?status=running'))['rollouts'] as Record<string, unknown>[];
      expect(listed.map((view) => [view['rollout_id'], view['phase']])).toEqual(ids.map((id) => [id, 'model']));
      // So do the routes of other dialects.
      expect(await two.json('GET', '/rollout/job-0/status')).toMatchObject({ status: 'running' });

      expect(await two.json('POST', '/v1/rollout/job-0/cancel')).toMatchObject({ rollout_id: 'job-0' });
      expect(await tracker.waitFor('job-0')).toMatchObject({
        status: 'ERROR',
        extra_fields: { failure: { class: 'cancelled' } },
      });
      const { cancelled } = await two.json('POST', '/v1/rollouts/cancel', { prefix: 'job-' });
      expect(cancelled).toEqual(['job-1', 'job-2', 'job-3']);
      await allEnded(ids);
      expect((await two.send('GET', '/v1/rollout/unknown')).status).toBe(404);

      // The command line asks whichever worker takes its connection.
      const { apiKey = '', url } = server.event;
      const shown = await runCli(['rollouts', 'list', '--all-pages', '--json', '--url', url, '--api-key', apiKey]);
      expect(shown.stdout).toContain('"rollout_id":"job-3"');
    });

    it('a dead letter of one worker is delivered by another', async () => {
      faults.add({ route: 'completed', faults: [400], repeat: true });
      expect((await one.init(trainerUrl, 'dead')).status).toBe(202);
      const deliveryAt = async (connection: Connection): Promise<unknown> =>
        (await connection.json('GET', '/v1/rollout/dead'))['delivery'];
      await until('it is dead', async () => JSON.stringify(await deliveryAt(two)).includes('"state":"dead"'));
      faults.clear();
      expect((await two.send('POST', '/v1/rollout/nothing/redeliver')).status).toBe(404);
      expect((await two.send('POST', '/v1/rollout/dead/redeliver')).status).toBe(202);
      for (const connection of [one, two]) {
        await until('it is delivered', async () =>
          JSON.stringify(await deliveryAt(connection)).includes('"delivered"'),
        );
      }
      expect((await one.send('POST', '/v1/rollout/dead/redeliver')).status).toBe(404);
      expect(new Set(completionsOf('dead')).size).toBe(1);
      expect(completionsOf('dead')).toHaveLength(2);
    });

    it('refuses what several workers cannot do, once and clearly', async () => {
      const { folder } = server;
      const serve = (...options: string[]) =>
        runCli(['serve', '-m', 'agent.ts', '-p', '0', '--local', '--workers', '2', ...options], { cwd: folder });
      const memory = await serve('--store', 'memory');
      expect(memory).toMatchObject({ code: 3, stdout: '' });
      expect(memory.stderr.match(/^Error: Several workers need the store 'sqlite'/gm)).toHaveLength(1);
      const few = await serve('--max-concurrent', '1', '--data-dir', 'other');
      expect(few.code).toBe(3);
      expect(few.stderr).toMatch(/1 rollout\(s\) at once cannot be shared by 2 workers/);
      const reload = await serve('--reload');
      expect(reload.code).toBe(2);
      expect(reload.stderr).toMatch(/--reload serves with one process, but 2 workers are asked for/);
      const taken = await serve();
      expect(taken.code).not.toBe(0);
      expect(taken.stderr).toMatch(/Another server uses the data directory/);
    });
  });

  describe('when one of its processes ends', () => {
    afterEach(endProcesses);

    it('a worker that is killed is replaced; its rollouts are taken up at once, none is lost or told twice', async () => {
      turnDelayMs = 300;
      const server = await ServedWorkers.start(['--max-concurrent', '20']);
      const ids = idsOf(200);
      const pool = connect(server, 20);
      const inits = ids.map(async (id, index) => initUntilAccepted(server, pool[index % 20]!, id));
      await until('some have ended', () => ended().size > 20);
      // In the middle of inits, runs and deliveries.
      process.kill(server.workers[0]!.pid, 'SIGKILL');
      await Promise.all(inits);
      await allEnded(ids);
      for (const id of ids) expect([id, new Set(completionsOf(id)).size]).toEqual([id, 1]);
      const errors = tracker.responses.filter(({ status }) => status === 'ERROR');
      expect(errors.length).toBeLessThan(30);
      for (const { extra_fields: extra } of errors) {
        expect(extra).toMatchObject({ failure: { class: 'shutdown', retryable: true } });
      }

      await server.cli.output(/worker 1 \(pid \d+\) has ended \(SIGKILL\); another takes its place/);
      await server.cli.output(/worker 1 \(pid \d+\) serves/);
      const [one] = await connectToEach(server);
      turnDelayMs = 0;
      expect((await one.init(trainerUrl, 'after')).status).toBe(202);
      expect(await tracker.waitFor('after')).toMatchObject({ status: 'COMPLETED', reward: 1 });
    });

    it('a worker that drains alone takes nothing new, but repeats what another has accepted', async () => {
      const release = holdModel();
      const server = await ServedWorkers.start(PATIENT_STOP);
      const [one, two] = await connectToEach(server);
      expect((await one.init(trainerUrl, 'slow')).status).toBe(202);
      const accepted = await two.init(trainerUrl, 'other');
      process.kill(server.workers[0]!.pid, 'SIGTERM');
      await server.cli.output(/Stopping \(1 running\).*"worker":1/);
      expect(await one.init(trainerUrl, 'other')).toEqual(accepted);
      expect((await one.init(trainerUrl, 'other', { max_turns: 3 })).status).toBe(409);
      expect((await one.init(trainerUrl, 'new')).status).toBe(503);
      release();
      await allEnded(['slow', 'other']);
      await server.cli.output(/worker 1 \(pid \d+\) has ended \(exit code 0\); another takes its place/);
      expect(chatsOf('other')).toBe(2);
    });

    it('SIGTERM drains every worker, and the server ends with 0', async () => {
      const release = holdModel();
      const server = await ServedWorkers.start(PATIENT_STOP);
      const [one, two] = await connectToEach(server);
      const ids = idsOf(6);
      for (const [index, id] of ids.entries()) await (index % 2 === 0 ? one : two).init(trainerUrl, id);
      const stopped = server.cli.stop('SIGTERM');
      for (const worker of [1, 2]) await server.cli.output(new RegExp(`Stopping \\(3 running\\).*"worker":${worker}`));
      release();
      const { code, stdout, stderr } = await stopped;
      expect(code).toBe(0);
      expect([...ended()].filter((id) => id.startsWith('r'))).toHaveLength(6);
      for (const id of ids) expect(tracker.responses.find((told) => told.rollout_id === id)?.status).toBe('COMPLETED');
      // One announcement, with the one key that both accept.
      expect(stdout.trimEnd().split('\n')).toHaveLength(1);
      expect(stderr).not.toContain('another takes its place');
      for (const { pid } of server.workers) expect(isAlive(pid)).toBe(false);
    });

    it('when the process that keeps them is killed the workers end, blocked ones too, and the next server goes on', async () => {
      turnDelayMs = NEVER;
      const port = await reservedPort();
      const server = await ServedWorkers.start(['--max-concurrent', '2', '-p', String(port)]);
      const [one, two] = await connectToEach(server);
      expect((await one.init(trainerUrl, 'block')).status).toBe(202);
      for (const id of ['running', 'waiting']) expect((await two.init(trainerUrl, id)).status).toBe(202);
      await until('both run', () => chatsOf('block') === 1 && chatsOf('running') === 1);
      const journal = new JournalReader(join(server.folder, '.osmosis'));
      await until('it is written down', () => ['block', 'running'].every((id) => journal.get(id)?.startedAt));
      journal.close();
      await server.cli.stop('SIGKILL');
      await until('the workers have ended', () => !server.workers.some(({ pid }) => isAlive(pid)));

      turnDelayMs = 0;
      const next = await ServedWorkers.start(['-p', String(port)], server.folder);
      expect([server.event.port, next.event.port]).toEqual([port, port]);
      await allEnded(['block', 'running', 'waiting']);
      for (const id of ['block', 'running']) {
        expect(tracker.responses.find((told) => told.rollout_id === id)).toMatchObject({
          status: 'ERROR',
          extra_fields: { failure: { class: 'shutdown' } },
        });
      }
      expect(tracker.responses.find((told) => told.rollout_id === 'waiting')).toMatchObject({ status: 'COMPLETED' });
      for (const id of ['block', 'running', 'waiting']) expect(completionsOf(id)).toHaveLength(1);
    });
  });
});
