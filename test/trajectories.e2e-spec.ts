import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { JournalReader } from '#rollout/store/sqlite';
import {
  atifFaults,
  createMockTrainerApp,
  delayed,
  FaultPlan,
  messagesOf,
  RequestRecorder,
  RolloutCompletionTracker,
  toolCall,
  type AtifDocument,
} from '#testing';
import { ensureBuilt, endProcesses, runCli, type CliResult } from './support/cli.js';
import { PATIENT, until } from './support/init.js';
import { ServerProcess } from './support/server.process.js';

const API_KEY = 'server-key-SECRET-9c1b';
const TRAINER_KEY = 'SECRET-7f3a';
/** Longer than any of these tests, in milliseconds. */
const NEVER = 600_000;
const HOSTILE = ['../../up', '/etc/passwd', 'job-1/42', 'é'.repeat(256), '..\\x'];
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

jest.setTimeout(120_000);

/** Real processes: a server that writes trajectories, a trainer, and the program that exports them. */
describe('trajectories', () => {
  let dataDir: string;
  let trainer: NestFastifyApplication;
  let trainerUrl: string;
  let faults: FaultPlan;
  let server: ServerProcess | undefined;
  const tracker = new RolloutCompletionTracker(PATIENT);
  const recorder = new RequestRecorder({ limit: 100_000 });

  beforeAll(async () => {
    await ensureBuilt();
    trainer = await createMockTrainerApp({
      tracker,
      recorder,
      apiKey: TRAINER_KEY,
      logger: false,
      script: (request, turn) =>
        delayed(
          request.rollout_id.startsWith('hang') && turn === 1 ? NEVER : 0,
          turn === 0 ? [toolCall('add', { a: 1, b: 2 }, 'call_1')] : '3',
        ),
    });
    await trainer.listen(0, '127.0.0.1');
    trainerUrl = await trainer.getUrl();
    faults = trainer.get(FaultPlan);
  });
  afterAll(() => trainer.close());
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'osmosis-'));
    tracker.clear();
    recorder.clear();
    faults.clear();
  });
  afterEach(async () => {
    await server?.stop('SIGKILL');
    server = undefined;
    await endProcesses();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function start(more: Record<string, string> = {}, limit?: string): Promise<void> {
    const env = {
      OSMOSIS_API_KEY: API_KEY,
      OSMOSIS_ROLLOUT_STORE: 'sqlite',
      OSMOSIS_ROLLOUT_DATA_DIR: dataDir,
      OSMOSIS_ROLLOUT_TRAJECTORIES: 'on',
      ...more,
    };
    server = await ServerProcess.start(env, undefined, limit);
  }

  async function ask(method: string, path: string, body?: object): Promise<number> {
    const response = await fetch(`${server!.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${API_KEY}`, ...(body && { 'content-type': 'application/json' }) },
      body: body && JSON.stringify(body),
    });
    await response.arrayBuffer();
    return response.status;
  }

  async function init(rolloutId: string, content = '1 + 2?'): Promise<void> {
    const status = await ask('POST', '/v1/rollout/init', {
      rollout_id: rolloutId,
      server_url: trainerUrl,
      messages: [{ role: 'user', content }],
      completion_params: {},
      metadata: { ground_truth: '3' },
      api_key: TRAINER_KEY,
    });
    expect(status).toBe(202);
  }

  /** The documents that are there, by the rollout they say they are of. */
  function documents(): Map<string, AtifDocument> {
    const folder = join(dataDir, 'trajectories');
    const found = new Map<string, AtifDocument>();
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      const file = join(folder, name, 'trajectory.json');
      if (!existsSync(file)) continue;
      const document = JSON.parse(readFileSync(file, 'utf8')) as AtifDocument;
      expect(atifFaults(document)).toEqual([]);
      found.set(String(document.session_id), document);
    }
    return found;
  }

  async function documentOf(rolloutId: string): Promise<AtifDocument> {
    for (const deadline = Date.now() + 45_000; Date.now() < deadline; await sleep(20)) {
      const document = documents().get(rolloutId);
      if (document) return document;
    }
    throw new Error(`there is no document of ${rolloutId}; the server says:\n${server?.output}`);
  }

  const secondChatOf = (id: string): Promise<void> =>
    until(() => recorder.chats.filter(({ rolloutId }) => rolloutId === id).length >= 2, `the second chat of ${id}`);

  const facts = (document: AtifDocument): unknown => document.extra?.['rollout'];

  it('tell of a good end, a failure and a cancellation: turns, tokens, tools, times, rewards', async () => {
    await start();
    faults.add({ route: 'chat', faults: [400], rolloutId: 'broken' });
    for (const id of ['good', 'broken', 'hang-1']) await init(id);

    const good = await documentOf('good');
    const completion = await tracker.waitFor('good');
    expect(messagesOf(good).map(({ role, content }) => [role, content])).toEqual(
      completion.final_messages.map(({ role, content }) => [role, content ?? '']),
    );
    expect(good).toMatchObject({
      schema_version: 'ATIF-v1.7',
      trajectory_id: 'good',
      agent: { name: 'nestjs-osmosis', extra: { agent: 'calculator' } },
      steps: [
        { source: 'user', message: '1 + 2?' },
        {
          source: 'agent',
          timestamp: expect.stringMatching(/^20\d\d-.*\+00:00$/) as string,
          tool_calls: [{ tool_call_id: 'call_1', function_name: 'add', arguments: { a: 1, b: 2 } }],
          observation: { results: [{ source_call_id: 'call_1', content: '3', extra: { failed: false } }] },
          metrics: {
            prompt_tokens: expect.any(Number) as number,
            completion_token_ids: expect.any(Array) as number[],
            extra: { finish_reason: 'tool_calls', latency_ms: expect.any(Number) as number },
          },
          llm_call_count: 1,
        },
        { source: 'agent', message: '3', llm_call_count: 1 },
      ],
      final_metrics: {
        total_prompt_tokens: completion.metrics?.prompt_tokens,
        total_completion_tokens: completion.metrics?.response_tokens,
        total_steps: 3,
      },
      extra: {
        osmosis: { rollout_id: 'good', label: '3', reward: 1, request_metadata: { ground_truth: '3' } },
        rollout: { agent: 'calculator', dialect: 'osmosis-v0.2', status: 'COMPLETED', finish_reason: 'stop' },
      },
    });
    expect(good.agent.tool_definitions).toHaveLength(4);

    const broken = await documentOf('broken');
    expect(broken.steps).toEqual([{ step_id: 1, source: 'user', message: '1 + 2?' }]);
    expect(facts(broken)).toMatchObject({ status: 'ERROR', failure: { class: 'model', phase: 'model' } });
    expect(broken.extra?.['osmosis']).not.toHaveProperty('reward');

    await secondChatOf('hang-1');
    expect(await ask('POST', '/v1/rollout/hang-1/cancel')).toBe(202);
    const cancelled = await documentOf('hang-1');
    expect(cancelled.steps).toMatchObject([{ source: 'user' }, { source: 'agent', observation: { results: [{}] } }]);
    expect(facts(cancelled)).toMatchObject({ status: 'ERROR', failure: { class: 'cancelled' } });
  });

  it('spec 13.23: stay in their folder, whatever the trainer calls its rollouts', async () => {
    await start();
    for (const id of HOSTILE) await init(id);
    for (const id of HOSTILE) expect(await documentOf(id)).toMatchObject({ session_id: id });
    expect(readdirSync(join(dataDir, 'trajectories'))).toHaveLength(HOSTILE.length);
  });

  it('are there while the trainer cannot be told, and when the server has been stopped', async () => {
    await start();
    faults.add({ route: 'completed', faults: [503], repeat: true });
    await init('untold');
    expect(await documentOf('untold')).toMatchObject({ steps: [{}, {}, {}] });
    await init('hang-stopped');
    await secondChatOf('hang-stopped');
    expect(await server!.stop('SIGTERM')).toBe(0);
    expect(facts(documents().get('hang-stopped') as AtifDocument)).toMatchObject({ failure: { class: 'shutdown' } });
  });

  it('are whole or not there when the server is killed, and what ran is told after the next start', async () => {
    for (let kill = 0; kill < 3; kill++) {
      await start();
      const ids = Array.from({ length: 20 }, (_, index) => `r${kill}-${index}`);
      const dying = sleep(50 + kill * 40).then(() => server!.stop('SIGKILL'));
      await Promise.all(ids.map((id) => init(id).catch(() => undefined)));
      await dying;
      // Reads and checks every file that has the name of a document.
      documents();
    }
    await start();
    await init('hang-killed');
    await secondChatOf('hang-killed');
    // Conversations are stored once a second.
    const journal = new JournalReader(dataDir);
    await until(() => journal.conversation('hang-killed').some(({ messages }) => messages.includes('call_1')));
    journal.close();
    await server!.stop('SIGKILL');
    await start();
    const killed = await documentOf('hang-killed');
    expect(facts(killed)).toMatchObject({ failure: { class: 'shutdown' } });
    expect(killed.agent.tool_definitions).toHaveLength(4);
    expect(killed.steps).toMatchObject([{ source: 'user' }, { source: 'agent', tool_calls: [{}] }]);
  });

  it('cost no outcome when they cannot be written: a warning, and the trainer is told', async () => {
    // The superuser may write everywhere; a file in the way stops everybody.
    writeFileSync(join(dataDir, 'trajectories'), '');
    await start();
    for (const id of ['a', 'b', 'c']) {
      await init(id);
      expect(await tracker.waitFor(id)).toMatchObject({ status: 'COMPLETED', reward: 1 });
    }
    expect(await server!.stop('SIGTERM')).toBe(0);
    const told = (): string[] =>
      server!.output.split('\n').filter((line) => line.includes('its trajectory is not written'));
    await until(() => told().length >= 3);
    expect(told()).toHaveLength(3);
    expect(told().filter((line) => line.includes('"level":"warn"'))).toEqual([expect.stringContaining('ENOTDIR')]);
  });

  it('cost no outcome when the disk takes only a part of them, and leave no part there', async () => {
    await start({ OSMOSIS_ROLLOUT_STORE: 'memory' }, '-f 8');
    await init('full', 'x'.repeat(100_000));
    expect(await tracker.waitFor('full')).toMatchObject({ status: 'COMPLETED', reward: 1 });
    await init('small');
    expect(await documentOf('small')).toMatchObject({ session_id: 'small' });
    await until(() => /rollout \\"full\\": its trajectory is not written: EFBIG/.test(server!.output));
    expect(readdirSync(join(dataDir, 'trajectories', 'full'))).toEqual([]);
  });

  it('are not written unless somebody asks for them', async () => {
    await start({ OSMOSIS_ROLLOUT_TRAJECTORIES: 'off' });
    await init('quiet');
    await tracker.waitFor('quiet');
    expect(await server!.stop('SIGTERM')).toBe(0);
    expect(readdirSync(dataDir)).not.toContain('trajectories');
  });

  describe('osmosis rollouts export --format atif', () => {
    const read = (...args: string[]): Promise<CliResult> =>
      runCli(['rollouts', 'export', '--format', 'atif', '--data-dir', dataDir, ...args]);

    const parsed = (text: string): AtifDocument[] =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as AtifDocument);

    async function twoRollouts(): Promise<void> {
      await start();
      await init('written');
      await documentOf('written');
      await server!.stop('SIGTERM');
      await start({ OSMOSIS_ROLLOUT_TRAJECTORIES: 'off' });
      await init('../stored');
      await tracker.waitFor('../stored');
      await server!.stop('SIGTERM');
    }

    it('gives what the server has written, and makes documents of what is only stored', async () => {
      await twoRollouts();
      const { code, stdout, stderr } = await read();
      expect({ code, stderr }).toEqual({ code: 0, stderr: '2 rollouts.\n' });
      const [written, stored] = parsed(stdout) as [AtifDocument, AtifDocument];
      expect(written).toEqual(documents().get('written'));
      expect(atifFaults(stored)).toEqual([]);
      expect(messagesOf(stored)).toEqual(messagesOf(written));
      expect(stored).toMatchObject({
        session_id: '../stored',
        agent: written.agent.tool_definitions && { tool_definitions: written.agent.tool_definitions },
        final_metrics: { total_steps: 3 },
        extra: {
          osmosis: { rollout_id: '../stored', label: '3', reward: 1 },
          rollout: { status: 'COMPLETED', finish_reason: 'stop', rewards: expect.any(Array) as object[] },
        },
      });
      expect(stdout).not.toContain('SECRET-');
    });

    it('writes one file, or a file each into a folder', async () => {
      await twoRollouts();
      const file = join(dataDir, 'all.jsonl');
      expect(await read('-o', file)).toMatchObject({ code: 0, stdout: '', stderr: `2 rollouts written to ${file}\n` });
      expect(parsed(readFileSync(file, 'utf8'))).toHaveLength(2);

      const folder = join(dataDir, 'out');
      const into = await read('-o', `${folder}/`, '--json');
      expect(JSON.parse(into.stdout)).toMatchObject({ ok: true, data: { path: folder, count: 2 } });
      const names = readdirSync(folder).sort();
      expect(names).toEqual([expect.stringMatching(/^-stored~[0-9a-f]{24}$/), 'written']);
      for (const name of names) {
        const document: unknown = JSON.parse(readFileSync(join(folder, name, 'trajectory.json'), 'utf8'));
        expect(atifFaults(document)).toEqual([]);
      }
      // A folder that is there needs no slash, and what is there is replaced.
      expect(await read('-o', folder, '--limit', '1')).toMatchObject({ code: 0 });
      expect(await read('-o', join(file, 'no', 'where/'))).toMatchObject({ code: 3, stdout: '' });
    });

    it('needs the stored files: a server hands no messages out', async () => {
      await start();
      const { code, stdout, stderr } = await runCli(['rollouts', 'export', '--format', 'atif', '--url', server!.url], {
        env: { OSMOSIS_API_KEY: API_KEY },
      });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/^Error: --format atif needs the stored files: .* Add --data-dir/);
    });
  });
});
