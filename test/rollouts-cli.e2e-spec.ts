import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  createMockTrainerApp,
  delayed,
  FaultPlan,
  RequestRecorder,
  RolloutCompletionTracker,
  toolCall,
} from '#testing';
import { SqliteJournal } from '../libs/rollout/store/sqlite/journal.js';
import type { Write } from '../libs/rollout/store/sqlite/journal.language.js';
import { CLI, endProcesses, ensureBuilt, runCli, startCli, type CliOptions, type CliResult } from './support/cli.js';
import { PATIENT } from './support/init.js';
import { ServerProcess } from './support/server.process.js';

const API_KEY = 'server-key-SECRET-9c1b';
const TRAINER_KEY = 'SECRET-7f3a';
const HANGS = /^hang/;
/** Longer than all tests take. */
const NEVER_MS = 600_000;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

jest.setTimeout(120_000);

interface Shown {
  readonly rollout_id: string;
  readonly status: string | null;
  readonly state: string;
  readonly phase: string | null;
  readonly delivery: { readonly state: string } | null;
}

/** Real processes: a server with a sqlite store, a trainer, and the program. */
describe('osmosis rollouts', () => {
  let dataDir: string;
  let outDir: string;
  let trainer: NestFastifyApplication;
  let trainerUrl: string;
  let server: ServerProcess;
  const tracker = new RolloutCompletionTracker(PATIENT);
  const recorder = new RequestRecorder({ limit: 10_000 });

  beforeAll(async () => {
    await ensureBuilt();
    dataDir = mkdtempSync(join(tmpdir(), 'osmosis-data-'));
    outDir = mkdtempSync(join(tmpdir(), 'osmosis-out-'));
    trainer = await createMockTrainerApp({
      tracker,
      recorder,
      apiKey: TRAINER_KEY,
      logger: false,
      script: (request, turn) =>
        delayed(
          turn === 1 && HANGS.test(request.rollout_id) ? NEVER_MS : 0,
          turn === 0 ? [toolCall('add', { a: 1, b: 2 }, 'call_1')] : '3',
        ),
    });
    await trainer.listen(0, '127.0.0.1');
    trainerUrl = await trainer.getUrl();
    await start();
  });
  afterEach(endProcesses);
  afterAll(async () => {
    await server.stop('SIGKILL');
    await trainer.close();
    rmSync(dataDir, { recursive: true, force: true });
    rmSync(outDir, { recursive: true, force: true });
  });

  async function start(): Promise<void> {
    server = await ServerProcess.start({
      OSMOSIS_API_KEY: API_KEY,
      OSMOSIS_ROLLOUT_STORE: 'sqlite',
      OSMOSIS_ROLLOUT_DATA_DIR: dataDir,
    });
  }

  async function init(rolloutId: string): Promise<void> {
    const response = await fetch(`${server.url}/v1/rollout/init`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${API_KEY}` },
      body: JSON.stringify({
        rollout_id: rolloutId,
        server_url: trainerUrl,
        messages: [{ role: 'user', content: '1 + 2?' }],
        completion_params: { temperature: 0 },
        metadata: { ground_truth: '3' },
        api_key: TRAINER_KEY,
      }),
    });
    expect(response.status).toBe(202);
  }

  /** Asks the server, with its key in the environment. */
  function ask(command: string, ...args: string[]): Promise<CliResult> {
    return runCli(['rollouts', command, '--url', server.url, ...args], { env: { OSMOSIS_API_KEY: API_KEY } });
  }

  /** Reads the directory, without any key. */
  function read(command: string, args: readonly string[] = [], options?: CliOptions): Promise<CliResult> {
    return runCli(['rollouts', command, '--data-dir', dataDir, ...args], options);
  }

  function rolloutsOf({ code, stdout, stderr }: CliResult): readonly Shown[] {
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { ok, data } = JSON.parse(stdout) as { ok: boolean; data: { rollouts: Shown[] } };
    expect(ok).toBe(true);
    return data.rollouts;
  }

  const idsOf = (result: CliResult): string[] => rolloutsOf(result).map(({ rollout_id: id }) => id);

  async function until(rolloutId: string, fits: (rollout: Shown) => boolean): Promise<Shown> {
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(50)) {
      const response = await fetch(`${server.url}/v1/rollout/${encodeURIComponent(rolloutId)}`, {
        headers: { authorization: `Bearer ${API_KEY}` },
      });
      const rollout = (await response.json()) as Shown;
      if (fits(rollout)) return rollout;
    }
    throw new Error(`${rolloutId} never came to the state that is waited for`);
  }

  /** Its second question is with the trainer, and gets no answer. */
  async function untilHanging(rolloutId: string): Promise<void> {
    const isAsked = (): boolean => recorder.chats.filter((chat) => chat.rolloutId === rolloutId).length === 2;
    await until(rolloutId, isAsked);
  }

  const isDone = ({ state }: Shown): boolean => state === 'done';

  it('lists and shows the same from the server and, while it runs, from its directory', async () => {
    trainer.get(FaultPlan).add({ route: 'chat', faults: [400], rolloutId: 'broken' });
    trainer.get(FaultPlan).add({ route: 'completed', faults: [400], rolloutId: 'job-1/dead' });
    for (const id of ['job-1/good', 'broken', 'job-1/dead']) {
      await init(id);
      await until(id, isDone);
    }
    const fromServer = rolloutsOf(await ask('list', '--json'));
    expect(fromServer).toMatchObject([
      { rollout_id: 'job-1/good', status: 'COMPLETED', reward: 1, turns: 2, delivery: { state: 'delivered' } },
      { rollout_id: 'broken', status: 'ERROR', failure: { class: 'model' } },
      { rollout_id: 'job-1/dead', status: 'COMPLETED', delivery: { state: 'dead', attempts: 1 } },
    ]);
    expect(rolloutsOf(await read('list', ['--json']))).toEqual(fromServer);
    for (const { rollout_id: id } of fromServer) {
      const shown = JSON.parse((await ask('show', id, '--json')).stdout) as { data: Record<string, unknown> };
      const stored = JSON.parse((await read('show', [id, '--json'])).stdout) as { data: Record<string, unknown> };
      // A server that has not forgotten a rollout knows the time per phase, and reads the clock for its end once more.
      expect(stored.data).toEqual({ ...shown.data, elapsed_ms: {}, ended_at: expect.any(String) as string });
    }
  });

  it('lists by status, agent and place, and page by page', async () => {
    for (const list of [
      (...args: string[]) => ask('list', '--json', ...args),
      (...args: string[]) => read('list', ['--json', ...args]),
    ]) {
      expect(idsOf(await list('--status', 'dead'))).toEqual(['job-1/dead']);
      expect(idsOf(await list('--status', 'ERROR'))).toEqual(['broken']);
      expect(idsOf(await list('--agent', 'nobody'))).toEqual([]);
      expect(idsOf(await list('--after', 'job-1/good', '--limit', '1'))).toEqual(['broken']);
      expect(idsOf(await list('--limit', '1', '--all-pages'))).toEqual(['job-1/good', 'broken', 'job-1/dead']);
    }
    const page = JSON.parse((await ask('list', '--limit', '2', '--json')).stdout) as { data: { next: string } };
    expect(page.data.next).toBe('broken');
    const text = await ask('list', '--limit', '2');
    expect(text.stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(text.stderr).toBe('There may be more: --after broken, or --all-pages.\n');
    expect(await ask('list', '--agent', 'nobody')).toEqual({ code: 0, stdout: '', stderr: 'No rollouts.\n' });
  });

  it('CL-16: prints a table, in colours on a terminal only, and not with NO_COLOR', async () => {
    const { stdout } = await read('list');
    expect(stdout).toMatch(/^id +agent +state +status +reward +turns +age +delivery\n/);
    expect(stdout).toMatch(/^job-1\/good +calculator +done +COMPLETED +1 +2 +.+ +delivered$/m);
    expect(stdout).toMatch(/^broken +calculator +done +ERROR \(model\) +- +.+ +delivered$/m);
    expect(stdout).toMatch(/^job-1\/dead +calculator +done +COMPLETED +1 +2 +.+ +dead \(1\)$/m);
    const coloured = async (env: Record<string, string>): Promise<boolean> =>
      (await read('list', [], { terminal: true, env })).stdout.includes('\u001b[');
    expect(stdout).not.toContain('\u001b[');
    expect(await coloured({})).toBe(true);
    expect(await coloured({ NO_COLOR: '1' })).toBe(false);
  });

  it('shows timeline, times, figures, rewards, delivery attempts and the failure', async () => {
    const { stdout: good } = await ask('show', 'job-1/good');
    expect(good).toMatch(/^Rollout job-1\/good\n/);
    for (const part of [
      /Status: +COMPLETED\n/,
      /Turns: +2\n/,
      / accepted\n/,
      / sealed as COMPLETED, finish reason stop\n/,
    ]) {
      expect(good).toMatch(part);
    }
    expect(good).toMatch(
      / delivered, attempt 1\n[^]*queue: [^]*tool calls: +1\n[^]*Rewards\n {2}exact: +1 \(weight 0.5, /,
    );
    const { stdout: dead } = await read('show', ['job-1/dead']);
    expect(dead).toMatch(/delivery attempt 1 failed: .*400.*\n.*given up after 1 attempt: a dead letter/);
    const { stdout: broken } = await read('show', ['broken']);
    expect(broken).toMatch(/Failure\n {2}model, in phase model, PEER_REFUSED; the same request would end so again\n/);
  });

  it('shows the conversation from the directory, and says that a server has none', async () => {
    const { stdout } = await read('show', ['job-1/good', '--messages']);
    expect(stdout).toMatch(
      /\[1\] user\n {4}1 \+ 2\?\n {2}\[2\] assistant\n {4}-> add \{.*\} \(call_1\)\n {2}\[3\] tool \(call_1\)/,
    );
    const json = JSON.parse((await read('show', ['job-1/good', '--messages', '--json'])).stdout) as {
      data: { messages: { role: string }[] };
    };
    expect(json.data.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'assistant']);
    const fromServer = await ask('show', 'job-1/good', '--messages');
    expect(fromServer).toMatchObject({ code: 2, stdout: '' });
    expect(fromServer.stderr).toContain('Add --data-dir');
  });

  it('a rollout that is not there ends with 1', async () => {
    for (const result of [
      await ask('show', 'nothing'),
      await read('show', ['nothing']),
      await ask('cancel', 'nothing'),
    ]) {
      expect(result).toMatchObject({ code: 1, stdout: '' });
      expect(result.stderr).toMatch(/^Error: There is no rollout "nothing"/);
    }
  });

  it('delivers a dead letter when asked, with the same bytes, and only once', async () => {
    const redelivered = await ask('redeliver', 'job-1/dead');
    expect(redelivered).toEqual({ code: 0, stdout: 'job-1/dead: on its way again\n', stderr: '' });
    await tracker.waitFor('job-1/dead');
    await until('job-1/dead', ({ delivery }) => delivery?.state === 'delivered');
    const attempts = recorder.completions.filter(({ rolloutId }) => rolloutId === 'job-1/dead');
    expect(attempts).toHaveLength(2);
    expect(attempts[1]?.rawBody).toBe(attempts[0]?.rawBody);
    const again = await ask('redeliver', 'job-1/dead');
    expect(again).toMatchObject({ code: 1, stdout: '' });
    expect(again.stderr).toContain('has no undelivered completion');
  });

  it('cancels by id, by prefix and all, and leaves alone what has ended', async () => {
    for (const id of ['hang-1', 'hang-2/a', 'hang-2/b', 'hang-3']) {
      await init(id);
      await untilHanging(id);
    }
    expect((await ask('show', 'hang-1')).stdout).toMatch(/State: +running \(model\)\n[^]*Time\n[^]* {2}model: /);
    const named = await ask('cancel', 'hang-1', 'job-1/good', 'nothing');
    expect(named.stdout).toBe('hang-1: cancelled\njob-1/good: ended before, COMPLETED\n');
    expect(named).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/no rollout "nothing".*The other 2 were found/),
    });
    const some = await ask('cancel', '--prefix', 'hang-2/', '--json');
    expect(JSON.parse(some.stdout)).toMatchObject({
      ok: true,
      data: { cancelled: ['hang-2/a', 'hang-2/b'], kept: [] },
    });
    expect(await ask('cancel', '--all')).toEqual({ code: 0, stdout: 'hang-3: cancelled\n', stderr: '' });
    expect(await ask('cancel', '--all')).toEqual({ code: 0, stdout: '', stderr: 'There was nothing to cancel.\n' });
    for (const id of ['hang-1', 'hang-2/a', 'hang-2/b', 'hang-3']) {
      expect(await until(id, isDone)).toMatchObject({ status: 'ERROR', failure: { class: 'cancelled' } });
    }
  });

  it('CL-17: what is to be cancelled must be said in one way, and to a server', async () => {
    for (const args of [[], ['a', '--all'], ['--prefix', 'a', '--all'], ['--prefix', '']]) {
      expect(await ask('cancel', ...args)).toMatchObject({ code: 2, stdout: '' });
    }
    for (const command of ['cancel', 'redeliver']) {
      const { code, stderr } = await read(command, ['job-1/good']);
      expect(code).toBe(2);
      expect(stderr).toContain(`'osmosis rollouts ${command}' needs a running server`);
    }
  });

  it('killed with -9: the directory still tells everything, also what was under way', async () => {
    await init('hang-killed');
    // Conversations are stored once a second.
    const messages = async (): Promise<string> => (await read('show', ['hang-killed', '--messages'])).stdout;
    while (!(await messages()).includes('[2] assistant')) await sleep(50);
    await server.stop('SIGKILL');
    const rollouts = rolloutsOf(await read('list', ['--json']));
    expect(rollouts.at(-1)).toMatchObject({ rollout_id: 'hang-killed', state: 'running', status: null, failure: null });
    expect(rollouts.map(({ rollout_id: id }) => id)).toContain('job-1/dead');
    const stdout = await messages();
    expect(stdout).toMatch(/State: +running\n/);
    expect(stdout).toMatch(/\[2\] assistant\n {4}-> add /);
    const refused = await ask('list');
    expect(refused).toMatchObject({ code: 5, stdout: '' });
    expect(refused.stderr).toMatch(/^Error: Cannot reach the server at http.*ECONNREFUSED.*--data-dir\.\n$/);
    await start();
    await until('hang-killed', isDone);
    expect(rolloutsOf(await ask('list', '--json')).at(-1)).toMatchObject({ failure: { class: 'shutdown' } });
  });

  describe('export', () => {
    const lines = (text: string): Record<string, unknown>[] =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>);

    it('writes a line for each finished rollout, with the conversation and the request', async () => {
      const { code, stdout, stderr } = await read('export', ['--quiet']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const [first] = lines(stdout);
      expect(Object.keys(first ?? {})).toEqual(
        'rollout_id agent status finish_reason reward rewards metrics failure messages request'.split(' '),
      );
      expect(first).toMatchObject({
        rollout_id: 'job-1/good',
        agent: 'calculator',
        status: 'COMPLETED',
        finish_reason: 'stop',
        reward: 1,
        metrics: { num_llm_calls: 2 },
        failure: null,
        messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'tool' }, { role: 'assistant', content: '3' }],
      });
      expect(first?.['request']).toEqual({
        rollout_id: 'job-1/good',
        server_url: trainerUrl,
        messages: [{ role: 'user', content: '1 + 2?' }],
        completion_params: { temperature: 0 },
        tool_server_url: null,
        max_turns: 10,
        max_tokens_total: 8192,
        metadata: { ground_truth: '3' },
        idempotency_key: null,
      });
      expect(stdout).not.toContain('SECRET-');
    });

    it('takes the filters of the list', async () => {
      const idsWith = async (...args: string[]): Promise<unknown[]> =>
        lines((await read('export', args)).stdout).map((line) => line['rollout_id']);
      expect(await idsWith('--status', 'COMPLETED')).toEqual(['job-1/good', 'job-1/dead']);
      expect(await idsWith('--after', 'job-1/good', '--limit', '1')).toEqual(['broken']);
      expect(await idsWith('--agent', 'nobody')).toEqual([]);
    });

    it('leaves null what a server does not hand out, and says so', async () => {
      const { code, stdout, stderr } = await ask('export', '--limit', '1');
      expect(code).toBe(0);
      expect(lines(stdout)).toMatchObject([{ rollout_id: 'job-1/good', reward: 1, messages: null, request: null }]);
      expect(stderr).toContain('Warning: A server hands out neither messages nor requests');
    });

    it('writes a file whole or not at all', async () => {
      const file = join(outDir, 'rollouts.jsonl');
      const { stdout } = await read('export', ['-o', file, '--json']);
      const { data } = JSON.parse(stdout) as { data: { path: string; count: number } };
      expect(data.path).toBe(file);
      expect(lines(readFileSync(file, 'utf8'))).toHaveLength(data.count);
      expect(readdirSync(outDir)).toEqual(['rollouts.jsonl']);
      writeFileSync(file, 'as before');
      const failed = await runCli(['rollouts', 'export', '--url', server.url, '-o', file], {
        env: { OSMOSIS_API_KEY: 'x' },
      });
      expect(failed.code).toBe(5);
      expect(readFileSync(file, 'utf8')).toBe('as before');
      expect(readdirSync(outDir)).toEqual(['rollouts.jsonl']);
      expect(await read('export', ['-o', outDir])).toMatchObject({ code: 3, stdout: '' });
      expect(await read('export', ['-o', join(outDir, 'no', 'where')])).toMatchObject({ code: 3, stdout: '' });
    });

    describe('of more than fits into memory', () => {
      const COUNT = 1_000;
      const big = mkdtempSync(join(tmpdir(), 'osmosis-big-'));

      beforeAll(() => {
        const journal = new SqliteJournal(join(big, 'rollouts.db'));
        const content = 'x'.repeat(100_000);
        const body = JSON.stringify({ final_messages: [{ role: 'assistant', content }] });
        journal.write(Array.from({ length: COUNT }, (_, index) => finished(`r${index}`, body)).flat());
        journal.close();
      });
      afterAll(() => rmSync(big, { recursive: true }));

      /** `export | reader`, in a shell that gives the program's own exit code. */
      function piped(reader: string): Promise<{ code: unknown; stdout: string; stderr: string }> {
        const script = `'${process.execPath}' '${CLI}' rollouts export -q --data-dir '${big}' | ${reader}; exit \${PIPESTATUS[0]}`;
        const env = { PATH: process.env['PATH'], NODE_OPTIONS: '--max-old-space-size=48' };
        const shell = spawn('bash', ['-c', script], { stdio: ['ignore', 'pipe', 'pipe'], env });
        let stdout = '';
        let stderr = '';
        shell.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
        shell.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
        return new Promise((done) => shell.on('close', (code) => done({ code, stdout: stdout.trim(), stderr })));
      }

      it('runs through all in a small heap', async () => {
        expect(await piped('wc -l')).toEqual({ code: 0, stdout: String(COUNT), stderr: '' });
      });

      it('CL-14: a reader that leaves early is no error', async () => {
        expect(await piped('head -c 20')).toEqual({ code: 0, stdout: '{"rollout_id":"r0","', stderr: '' });
      });
    });
  });

  describe('what can go wrong', () => {
    let stranger: Server;
    let strangerUrl: string;
    let answer: { readonly status: number; readonly body: string } | 'nothing' = 'nothing';

    beforeAll(async () => {
      stranger = createServer((_request, response) => {
        if (answer !== 'nothing') response.writeHead(answer.status, { location: server.url }).end(answer.body);
      });
      await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
      strangerUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    });
    afterAll(() => {
      stranger.closeAllConnections();
      stranger.close();
    });

    it('AU-05: a wrong key ends with 5 and is not shown', async () => {
      const wrong = await runCli(['rollouts', 'list', '--url', server.url, '--api-key', 'SECRET-wrong', '--debug']);
      expect(wrong).toMatchObject({ code: 5, stdout: '' });
      expect(wrong.stderr).toContain('asks for another key');
      expect(wrong.stderr).not.toContain('SECRET-');
      const right = await runCli(['rollouts', 'list', '--url', server.url, '--api-key', API_KEY, '-q']);
      expect(right).toMatchObject({ code: 0, stderr: '' });
    });

    it('gives errors as an envelope with --json', async () => {
      const { code, stdout, stderr } = await read('show', ['nothing', '--json']);
      expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
      expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'ROLLOUT_NOT_FOUND', exitCode: 1 } });
    });

    it.each([
      [{ status: 404, body: '{"message":"Cannot GET /v1/rollouts"}' }, 'Is it a nestjs-osmosis server?'],
      [{ status: 200, body: '<html>' }, 'gave no JSON'],
      [{ status: 200, body: '{"rollouts":[{"rollout_id":1}]}' }, 'something else than a list of rollouts'],
      [{ status: 307, body: '' }, 'answered 307'],
      [{ status: 503, body: '{"detail":"the store is away"}' }, 'answered 503: the store is away'],
    ])('a peer that answers %j ends with 5', async (given, message) => {
      answer = given;
      const { code, stdout, stderr } = await runCli(['rollouts', 'list', '--url', strangerUrl]);
      expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
      expect(stderr).toContain(message);
      expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    });

    it.each(['SIGINT', 'SIGTERM'] as const)(
      '%s in the middle of an export leaves the file as it was',
      async (signal) => {
        answer = 'nothing';
        const asked = new Promise((resolve) => stranger.once('request', resolve));
        const file = join(outDir, `${signal}.jsonl`);
        const cli = startCli(['rollouts', 'export', '--url', strangerUrl, '-q', '-o', file]);
        await asked;
        const { code, stderr } = await cli.stop(signal);
        expect(code).toBe(signal === 'SIGINT' ? 130 : 143);
        expect(stderr).toBe(`Error: Interrupted. ${file} is as it was.\n`);
        expect(readdirSync(outDir).filter((name) => name.startsWith(signal))).toEqual([]);
      },
    );

    it('a directory without rollouts ends with 3 and stays as it is', async () => {
      const empty = mkdtempSync(join(outDir, 'empty-'));
      const { code, stderr } = await runCli(['rollouts', 'list', '--data-dir', empty]);
      expect(code).toBe(3);
      expect(stderr).toMatch(/^Error: There is no .*rollouts\.db\. Name the directory/);
      expect(readdirSync(empty)).toEqual([]);
    });

    it.each(['ftp://h', 'http://', 'http://u:SECRET-p@h'])('CL-17: --url %s ends with 2', async (url) => {
      const { code, stderr } = await runCli(['rollouts', 'list', '--url', url]);
      expect(code).toBe(2);
      expect(stderr).not.toContain('SECRET-');
    });
  });

  it('loads neither Nest nor a heavy client, and SQLite only for a directory', async () => {
    const loaded = async (result: Promise<CliResult>): Promise<string> => (await result).stderr;
    const env = { NODE_DEBUG: 'esm,module', OSMOSIS_API_KEY: API_KEY };
    const fromServer = await loaded(runCli(['rollouts', 'list', '--url', server.url], { env }));
    const fromDirectory = await loaded(read('list', [], { env }));
    for (const trace of [fromServer, fromDirectory]) {
      expect(trace).not.toMatch(/node_modules\/(@nestjs|nest-commander|class-validator|undici|openai)\//);
    }
    expect(fromServer).not.toMatch(/node_modules\/libsql\//);
    expect(fromDirectory).toMatch(/node_modules\/libsql\//);
  });
});

const NO_FIGURES = Object.fromEntries(
  ['totalLatencyMs', 'llmLatencyMs', 'toolLatencyMs', 'numLlmCalls', 'numToolCalls', 'promptTokens', 'responseTokens']
    .concat('maxContextTokens')
    .map((name) => [name, 0]),
);

/** What a server writes of a rollout from its acceptance to its end. */
function finished(rolloutId: string, body: string): readonly Write[] {
  const request = JSON.stringify({ rolloutId, trainer: { dialect: 'osmosis-v0.2', url: 'http://t' } });
  const summary = JSON.stringify({ status: 'COMPLETED', finishReason: 'stop', rewards: [], metrics: NO_FIGURES });
  return [
    [
      'accepted',
      {
        rolloutId,
        idempotencyKey: null,
        fingerprint: '',
        agent: 'calculator',
        dialect: 'osmosis-v0.2',
        request,
        apiKey: null,
        tools: '[]',
        acceptedAt: 1,
      },
    ],
    ['sealed', { rolloutId, sealedAt: 2, status: 'COMPLETED', summary, url: 'http://t', body }],
    ['ended', rolloutId, 'delivered', 3],
  ];
}
