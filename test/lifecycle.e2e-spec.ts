import { once } from 'node:events';
import { connect } from 'node:net';
import { Agent, RolloutContext, Tool, type RolloutResult } from '#osmosis';
import type { RolloutModuleInput } from '#rollout';
import { driveRollouts, toolCall, type MockScript } from '#testing';
import { expectIdle, expectOneCompletionEach } from './support/assertions.js';
import { FakeClock } from './support/fake.clock.js';
import { activeRollouts, PATIENT, statusOf, until } from './support/init.js';
import { startRig, type Rig } from './support/rig.js';

const MESSAGES = [{ role: 'user', content: 'hello' }];
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function postInit({ serverUrl }: Rig, body: string): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(`${serverUrl}/v1/rollout/init`, { method: 'POST', headers, body });
}

/** Loops that go wrong in every way a loop can. */
const LOOPS: Readonly<Record<string, (ctx: RolloutContext) => unknown>> = {
  'throws before the first chat': () => {
    throw new Error('broke early');
  },
  'rejects after a chat': async (ctx) => {
    await ctx.chat(MESSAGES);
    throw new Error('broke late');
  },
  'throws without a text': async () => {
    throw new Error('');
  },
  'gives nothing': () => undefined,
  'gives an odd status': () => ({ status: 'DONE', finalMessages: [], finishReason: 'stop', errorMessage: null }),
  'gives odd messages': (ctx) => ctx.complete([1 as never]),
  'gives messages that have no JSON form': (ctx) => {
    const circle: Record<string, unknown> = { role: 'user' };
    circle['self'] = circle;
    return ctx.complete([circle]);
  },
  'says error': (ctx) => ctx.error('gave up', MESSAGES),
  'never ends': () => new Promise(() => {}),
};

@Agent({ name: 'loops' })
class LoopsAgent {
  run(ctx: RolloutContext): Promise<RolloutResult> {
    return LOOPS[String(ctx.request.metadata['loop'])]!(ctx) as Promise<RolloutResult>;
  }
}

let listed = 0;
let listFails = 0;

@Agent({ name: 'plain', default: true })
class PlainAgent {
  getTools(): string[] {
    listed++;
    if (listFails-- > 0) throw new Error('cannot list');
    return ['noop'];
  }
  @Tool({ description: 'Do nothing' })
  async noop(): Promise<void> {
    await sleep(50);
  }
}

/** What happens to requests and rollouts (cases LC-* that the engine decides, pinned cases of spec 12.7). */
describe('lifecycle of a rollout', () => {
  let script: MockScript = [];
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({
      providers: [LoopsAgent, PlainAgent],
      trainer: { script: (request, turn) => (typeof script === 'function' ? script(request, turn) : script[turn]!) },
    });
  });
  afterAll(() => rig.close());
  beforeEach(() => {
    script = ['hi'];
    listed = listFails = 0;
    rig.recorder.clear();
    rig.tracker.clear();
  });
  afterEach(async () => {
    await expectIdle(rig);
    expectOneCompletionEach(rig);
  });

  function body(rolloutId: string, more: object = {}): string {
    const request = { rollout_id: rolloutId, server_url: rig.trainerUrl, messages: MESSAGES, completion_params: {} };
    return JSON.stringify({ ...request, ...more });
  }

  async function init(text: string): Promise<{ status: number; body: { rollout_id?: string; detail?: unknown } }> {
    const response = await postInit(rig, text);
    return { status: response.status, body: (await response.json()) as never };
  }

  it('LC-01: the same request twice is one rollout with one answer', async () => {
    const first = await init(body('r1'));
    await rig.tracker.waitFor('r1');
    const second = await init(body('r1'));
    expect(second).toEqual(first);
    expect(first.status).toBe(202);
    expect(rig.chatRequests()).toHaveLength(1);
    expect(listed).toBe(1);
  });

  it('LC-01: two ids under one idempotency key are one rollout, answered with the first id', async () => {
    const first = await init(body('k1', { idempotency_key: 'key' }));
    const second = await init(body('k2', { idempotency_key: 'key' }));
    expect(second).toEqual(first);
    expect(second.body.rollout_id).toBe('k1');
    await rig.tracker.waitFor('k1');
    expect(rig.chatRequests()).toHaveLength(1);
  });

  it('12.7: other keys are independent, and ids and keys are two name spaces', async () => {
    const answers = await Promise.all([
      init(body('n1', { idempotency_key: 'n-a' })),
      init(body('n2', { idempotency_key: 'n-b' })),
      init(body('n-a')),
    ]);
    expect(answers.map((answer) => answer.body.rollout_id)).toEqual(['n1', 'n2', 'n-a']);
    await rig.tracker.waitForCount(3);
  });

  it('LC-03: another request under a known id or key is a conflict', async () => {
    await init(body('c1', { idempotency_key: 'c-key' }));
    const other = { messages: [{ role: 'user', content: 'something else' }] };
    expect((await init(body('c1', other))).status).toBe(409);
    const byKey = await init(body('c2', { ...other, idempotency_key: 'c-key' }));
    expect(byKey).toEqual({ status: 409, body: { detail: expect.stringContaining('send a new id') } });
    await rig.tracker.waitFor('c1');
    expect(rig.chatRequests().map((request) => request.messages)).toEqual([MESSAGES]);
  });

  it('a renewed api key does not make another request of it', async () => {
    await init(body('a1', { api_key: 'old' }));
    expect((await init(body('a1', { api_key: 'new' }))).status).toBe(202);
    await rig.tracker.waitFor('a1');
  });

  it('LC-05: a trainer that asks again while the rollout runs still gets one completion', async () => {
    script = [[toolCall('noop')], 'hi'];
    await init(body('p1'));
    await sleep(20);
    await init(body('p1'));
    await rig.tracker.waitFor('p1');
  });

  it('12.7: an agent that cannot list its tools is a 500, and the same id may try again', async () => {
    listFails = 1;
    expect((await init(body('t1'))).status).toBe(500);
    expect((await init(body('t1'))).status).toBe(202);
    await rig.tracker.waitFor('t1');
    expect(rig.chatRequests()).toHaveLength(1);
  });

  it('LC-20: a client that goes away before the answer gets the same answer when it asks again', async () => {
    const text = body('d1');
    const socket = connect(Number(new URL(rig.serverUrl).port), '127.0.0.1');
    socket.write(`POST /v1/rollout/init HTTP/1.1\r\nhost: x\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    await sleep(30);
    socket.destroy();
    await sleep(50);
    expect((await init(text)).status).toBe(202);
    await rig.tracker.waitFor('d1');
  });

  it('LC-20: a client that closes its half after the body still reads the answer', async () => {
    const text = body('d2');
    const socket = connect({ port: Number(new URL(rig.serverUrl).port), host: '127.0.0.1', allowHalfOpen: true });
    socket.end(`POST /v1/rollout/init HTTP/1.1\r\nhost: x\r\ncontent-length: ${text.length}\r\n\r\n${text}`);
    const answer: string = await new Promise((resolve) => {
      let received = '';
      socket.on('data', (chunk) => (received += chunk.toString()));
      socket.on('end', () => resolve(received));
    });
    expect(answer).toMatch(/^HTTP\/1.1 202/);
    await rig.tracker.waitFor('d2');
  });

  describe('LC-06: a loop that goes wrong is told, with what is known', () => {
    const run = (loop: string) => rig.run({ agent: 'loops', metadata: { loop } });

    it.each([
      ['throws before the first chat', 'broke early'],
      ['throws without a text', 'Error without a message'],
      ['gives nothing', 'gave undefined'],
      ['gives an odd status', '"DONE"'],
      ['gives odd messages', 'number 0 is no object'],
      ['says error', 'gave up'],
    ])('%s', async (loop, text) => {
      const result = await run(loop);
      expect(result).toMatchObject({ status: 'ERROR', finish_reason: 'error' });
      expect(result.error_message).toContain(text);
      expect(result.extra_fields).toMatchObject({ failure: { class: 'agent', phase: 'agent', retryable: false } });
      expect(result.reward).toBeUndefined();
    });

    it('gives messages that have no JSON form: what has none is named, the rest is kept', async () => {
      const result = await run('gives messages that have no JSON form');
      expect(result).toMatchObject({ status: 'COMPLETED', final_messages: [{ role: 'user', self: '[circular]' }] });
    });

    it('rejects after a chat: the conversation so far is kept, and the figures', async () => {
      const result = await run('rejects after a chat');
      expect(result.final_messages).toEqual([...MESSAGES, { role: 'assistant', content: 'hi' }]);
      expect(result.metrics).toMatchObject({ num_llm_calls: 1 });
      expect(result.metrics?.total_latency_ms).toBeGreaterThan(0);
    });
  });

  it('LC-18: ids that could forge log lines or headers are refused, and no line is forged', async () => {
    for (const id of ['r1\n[Nest] ERROR fake', '\u001b[2J', 'x'.repeat(301), '', '   ']) {
      expect((await init(body(id))).status).toBe(422);
    }
    expect(rig.log.text).not.toContain('fake');
    // Odd but harmless ids work, and stay on one line.
    for (const id of ['../../etc/x', 'a/b?c=d', '😀'.repeat(256)]) {
      expect((await init(body(id))).status).toBe(202);
      await rig.tracker.waitFor(id);
    }
    const lines = rig.log.lines.filter((line) => line.includes('etc/x'));
    expect(lines).toHaveLength(1);
  });

  it('LC-23: metadata at its limit passes, above it is refused by name, deep nesting breaks nothing', async () => {
    const limit = 1024 * 1024;
    const frame = '{"d": ""}'.length;
    expect((await init(body('m1', { metadata: { d: 'x'.repeat(limit - frame) } }))).status).toBe(202);
    const tooLarge = await init(body('m2', { metadata: { d: 'x'.repeat(limit - frame + 1) } }));
    expect(tooLarge.status).toBe(422);
    expect(JSON.stringify(tooLarge.body.detail)).toContain('1MB');
    expect((await init(body('m3', { metadata: { d: 'é'.repeat(600_000) } }))).status).toBe(422);
    for (const depth of [5_000, 200_000]) {
      const nested = `${'['.repeat(depth)}${']'.repeat(depth)}`;
      const text = body('m4', { metadata: { d: 0 } }).replace('{"d":0}', `{"d":${nested}}`);
      expect((await init(text)).status).toBe(400);
    }
    await rig.tracker.waitFor('m1');
  });

  it('12.7: total latency does not count the wait for a slot, and slots are never exceeded', async () => {
    const clock = new FakeClock();
    const running: (() => void)[] = [];
    let most = 0;
    @Agent({ name: 'narrow' })
    class Narrow {
      async run(ctx: RolloutContext): Promise<RolloutResult> {
        await new Promise<void>((resolve) => (most = Math.max(most, running.push(resolve))));
        return ctx.complete(MESSAGES);
      }
    }
    const rollouts: RolloutModuleInput = { maxConcurrent: 2, clock };
    const narrow = await startRig({ providers: [Narrow], osmosis: { rollouts } });
    const driven = driveRollouts({
      serverUrl: narrow.serverUrl,
      trainerUrl: narrow.trainerUrl,
      tracker: narrow.tracker,
      ...PATIENT,
      tasks: Array.from({ length: 6 }, () => ({ messages: MESSAGES })),
    });
    await until(async () => (await activeRollouts(narrow)) === 6, 'all are accepted');
    for (let pair = 1; pair <= 3; pair++) {
      await until(() => running.length === 2, 'two run');
      clock.advance(1_000);
      for (const end of running.splice(0)) end();
      await narrow.tracker.waitForCount(2 * pair);
    }
    const results = await driven;
    await narrow.close();
    expect(most).toBe(2);
    expect(results.map(({ completion }) => completion?.metrics?.total_latency_ms)).toEqual(Array(6).fill(1_000));
  });

  it('more than maxQueued waiting rollouts are refused with 429 and a Retry-After', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    @Agent({ name: 'busy' })
    class Busy {
      async run(ctx: RolloutContext): Promise<RolloutResult> {
        await held;
        return ctx.complete(MESSAGES);
      }
    }
    const busy = await startRig({ providers: [Busy], osmosis: { rollouts: { maxConcurrent: 1, maxQueued: 1 } } });
    const send = (id: string): Promise<Response> => postInit(busy, body(id).replace(rig.trainerUrl, busy.trainerUrl));
    const statuses = [(await send('q1')).status, (await send('q2')).status];
    const refused = await send('q3');
    expect(statuses).toEqual([202, 202]);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    release();
    await busy.tracker.waitForCount(2);
    await busy.close();
  });

  it('LC-09: the application closes at once, though a client keeps its connection', async () => {
    const other = await startRig({ providers: [PlainAgent] });
    const socket = connect(Number(new URL(other.serverUrl).port), '127.0.0.1');
    socket.write('GET /health HTTP/1.1\r\nhost: x\r\n\r\n');
    await once(socket, 'data');
    const closed = once(socket, 'close');
    // This client would never let go by itself.
    await other.close();
    await closed;
  });

  it('LC-24: a loop that never ends: the deadline ends it, and says so', async () => {
    const clock = new FakeClock();
    const rollouts: RolloutModuleInput = { deadlineMs: 2_500, clock };
    const other = await startRig({ providers: [LoopsAgent], osmosis: { rollouts } });
    const run = other.run({ rolloutId: 'e1', metadata: { loop: 'never ends' } });
    await until(async () => (await statusOf(other, 'e1')).state === 'running', 'it runs');
    clock.advance(2_500);
    const result = await run;
    await other.close();
    expect(result.error_message).toMatch(/deadline of 2500 ms \(timeout/);
    expect(result.extra_fields).toMatchObject({ failure: { class: 'deadline', phase: 'agent' } });
  });

  it('13.3: rollouts that still run when the server stops end as ERROR, and the trainer is told', async () => {
    const clock = new FakeClock();
    const rollouts: RolloutModuleInput = { shutdownGraceMs: 50, clock };
    const other = await startRig({ providers: [LoopsAgent], osmosis: { rollouts } });
    const run = other.run({ rolloutId: 's1', metadata: { loop: 'never ends' } });
    await until(async () => (await statusOf(other, 's1')).state === 'running', 'it runs');
    const timers = clock.timerCount;
    const closed = other.app.close();
    await until(() => clock.timerCount > timers, 'it has its grace');
    // The trainer is told within the same time once more, which does not pass.
    clock.advance(50);
    await closed;
    const result = await run;
    expect(result).toMatchObject({ status: 'ERROR', extra_fields: { failure: { class: 'shutdown' } } });
    await other.trainerApp.close();
  });
});
