import { Agent, RolloutContext, Tool } from '#osmosis';
import { delayed, toolCall, type MockScript, type RolloutCompletion } from '#testing';
import { expectIdle, expectOneCompletionEach } from './support/assertions.js';
import { statusOf, until } from './support/init.js';
import { startRig, type Rig } from './support/rig.js';

const aborted: string[] = [];

@Agent({ name: 'patient' })
class PatientAgent {
  @Tool({ description: 'Wait until told to stop' })
  async wait(ctx: RolloutContext): Promise<void> {
    await new Promise<void>((resolve) => ctx.signal.addEventListener('abort', () => resolve()));
    aborted.push(ctx.request.rolloutId);
    throw new Error('a late failure that nobody must see');
  }
}

/** Status, lists, cancellation and probes. */
describe('the control routes', () => {
  let script: MockScript = [];
  let rig: Rig;

  beforeAll(async () => {
    rig = await startRig({
      providers: [PatientAgent],
      osmosis: { rollouts: { delivery: { maxRetries: 2, backoff: { baseDelayMs: 10, maxDelayMs: 20 } } } },
      trainer: { script: (request, turn) => (typeof script === 'function' ? script(request, turn) : script[turn]!) },
    });
  });
  afterAll(() => rig.close());
  beforeEach(() => {
    aborted.length = 0;
    rig.recorder.clear();
    rig.tracker.clear();
    rig.faults.clear();
  });
  afterEach(async () => {
    await expectIdle(rig);
    expectOneCompletionEach(rig);
  });

  async function call(method: string, path: string, body?: object): Promise<{ status: number; body: never }> {
    const response = await fetch(`${rig.serverUrl}${path}`, {
      method,
      ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as never };
  }

  async function untilPhase(id: string, phase: string): Promise<void> {
    await until(async () => (await statusOf(rig, id)).phase === phase, `${id} comes to phase ${phase}`);
  }

  it.each(['POST', 'DELETE'])(
    '%s cancels a rollout in its tool: the signal fires, and its trainer is told',
    async (method) => {
      script = [[toolCall('wait')], 'never'];
      const id = `cancel/${method} 1`;
      const run = rig.run({ rolloutId: id });
      await untilPhase(id, 'tools');
      const path = `/v1/rollout/${encodeURIComponent(id)}`;
      const answer = await call(method, method === 'POST' ? `${path}/cancel` : path);
      expect(answer.status).toBe(202);
      const result = await run;
      expect(result).toMatchObject({
        status: 'ERROR',
        finish_reason: 'error',
        extra_fields: { failure: { class: 'cancelled', phase: 'tools', retryable: false } },
      });
      expect(aborted).toEqual([id]);
      expect(rig.log.text).not.toContain('a late failure');
    },
  );

  it('cancels a rollout while it waits for the model', async () => {
    script = [delayed(600_000, 'never')];
    const run = rig.run({ rolloutId: 'cancel-chat' });
    await untilPhase('cancel-chat', 'model');
    await call('POST', '/v1/rollout/cancel-chat/cancel');
    expect(await run).toMatchObject({ extra_fields: { failure: { class: 'cancelled', phase: 'model' } } });
  });

  it('cancels by prefix or all, and never by accident', async () => {
    script = [[toolCall('wait')], 'never'];
    const ids = ['job-1/a', 'job-1/b', 'job-2/a'];
    const runs: Promise<RolloutCompletion>[] = [];
    for (const rolloutId of ids) {
      runs.push(rig.run({ rolloutId }));
      await untilPhase(rolloutId, 'tools');
    }
    for (const body of [{}, { prefix: '' }, { all: false }, { prefix: 'job', all: true }]) {
      expect((await call('POST', '/v1/rollouts/cancel', body)).status).toBe(422);
    }
    expect((await call('DELETE', '/v1/rollouts')).status).toBe(422);
    const some = await call('POST', '/v1/rollouts/cancel', { prefix: 'job-1/' });
    expect(some).toEqual({ status: 202, body: { cancelled: ['job-1/a', 'job-1/b'] } });
    const rest = await call('DELETE', '/v1/rollouts?all=true');
    expect(rest.body).toEqual({ cancelled: ['job-2/a'] });
    for (const run of runs) expect((await run).status).toBe('ERROR');
  });

  it('a finished rollout stays what it is', async () => {
    script = ['done'];
    await rig.run({ rolloutId: 'finished' });
    await expectIdle(rig);
    const { body } = await call('POST', '/v1/rollout/finished/cancel');
    expect(body).toMatchObject({ state: 'done', status: 'COMPLETED', delivery: { state: 'delivered' } });
  });

  it('tells what a rollout is doing and what became of it', async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    script = async (_request, turn) => (turn === 0 ? released.then(() => [toolCall('none')]) : 'done');
    const run = rig.run({ rolloutId: 'told' });
    await untilPhase('told', 'model');
    const { body: during } = await call('GET', '/v1/rollout/told');
    expect(during).toMatchObject({ agent: 'patient', dialect: 'osmosis-v0.2', state: 'running', status: null });
    release();
    await run;
    await expectIdle(rig);
    const { body: after } = await call('GET', '/v1/rollout/told');
    expect(after).toMatchObject({
      rollout_id: 'told',
      state: 'done',
      phase: null,
      status: 'COMPLETED',
      turns: 2,
      finish_reason: 'stop',
      failure: null,
      metrics: { num_llm_calls: 2, num_tool_calls: 1 },
    });
    const times = after as { accepted_at: string; started_at: string; sealed_at: string; ended_at: string };
    expect([times.accepted_at, times.started_at, times.sealed_at, times.ended_at]).toEqual(
      [times.accepted_at, times.started_at, times.sealed_at, times.ended_at].sort(),
    );
    expect((await call('GET', '/v1/rollout/unknown')).status).toBe(404);
  });

  it('lists by state and page', async () => {
    script = ['done'];
    for (const rolloutId of ['l1', 'l2', 'l3']) await rig.run({ rolloutId });
    await expectIdle(rig);
    const list = async (query: string): Promise<string[]> => {
      const { body } = await call('GET', `/v1/rollouts?${query}`);
      return (body as { rollouts: { rollout_id: string }[] }).rollouts.map((rollout) => rollout.rollout_id);
    };
    expect(await list('after=l1&status=COMPLETED')).toEqual(['l2', 'l3']);
    expect(await list('after=l1&limit=1')).toEqual(['l2']);
    expect(await list('agent=nobody')).toEqual([]);
    expect((await call('GET', '/v1/rollouts?status=odd')).status).toBe(422);
    expect((await call('GET', '/v1/rollouts?limit=0')).status).toBe(422);
  });

  it('a refused completion is a dead letter: visible, and delivered when asked', async () => {
    script = ['done'];
    rig.faults.onCompleted(400);
    await call('POST', '/v1/rollout/init', {
      rollout_id: 'dead',
      server_url: rig.trainerUrl,
      messages: [],
      completion_params: {},
    });
    await until(() => rig.recorder.completions.length > 0);
    await expectIdle(rig);
    const { body } = await call('GET', '/v1/rollout/dead');
    expect(body).toMatchObject({ status: 'COMPLETED', delivery: { state: 'dead', attempts: 1 } });
    expect(rig.log.text).toContain('dead letter');
    expect((await call('POST', '/v1/rollout/dead/redeliver')).status).toBe(202);
    await rig.tracker.waitFor('dead');
    await expectIdle(rig);
    expect(new Set(rig.recorder.completions.map((request) => request.rawBody)).size).toBe(1);
    expect((await call('POST', '/v1/rollout/dead/redeliver')).status).toBe(404);
  });

  it('LC-07: an acknowledgement that was lost brings the same bytes and key again', async () => {
    script = ['done'];
    rig.faults.onCompleted('drop-after');
    await rig.run({ rolloutId: 'twice' });
    await expectIdle(rig);
    expect(rig.recorder.completions).toHaveLength(2);
    const [first, second] = rig.recorder.completions;
    expect(second?.rawBody).toBe(first?.rawBody);
    expect(second?.headers['idempotency-key']).toBe(first?.headers['idempotency-key']);
    rig.tracker.clear();
  });

  it('livez and readyz are open; readyz says no while the server drains', async () => {
    expect(await call('GET', '/livez')).toMatchObject({ status: 200, body: { status: 'ok' } });
    expect(await call('GET', '/readyz')).toMatchObject({ status: 200, body: { info: { rollouts: { status: 'up' } } } });
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const other = await startRig({
      providers: [PatientAgent],
      osmosis: { rollouts: { shutdownGraceMs: 600_000 } },
      trainer: { script: async () => released.then(() => 'done') },
    });
    const run = other.run();
    await until(() => other.recorder.chats.length > 0);
    const closing = other.app.close();
    await until(async () => (await fetch(`${other.serverUrl}/readyz`)).status === 503, 'readyz says no');
    release();
    expect(await run).toMatchObject({ status: 'COMPLETED' });
    await closing;
    await other.trainerApp.close();
  });

  it('asks for the key where one is configured, but not for the probes', async () => {
    const other = await startRig({ providers: [PatientAgent], osmosis: { apiKeys: 'k' } });
    const status = async (path: string): Promise<number> => (await fetch(`${other.serverUrl}${path}`)).status;
    expect(await status('/v1/rollouts')).toBe(401);
    expect(await status('/v1/rollout/x')).toBe(401);
    expect(await status('/livez')).toBe(200);
    expect(await status('/readyz')).toBe(200);
    await other.close();
  });
});
