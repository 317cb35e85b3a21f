import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, Reward, RolloutContext, RolloutTrajectory, Tool, type RolloutResult } from '#osmosis';
import type { RolloutModuleInput } from '#rollout';
import {
  completion,
  delayed,
  rolloutUrls,
  toolCall,
  type CompletionCallback,
  type GraderCallback,
  type RolloutTask,
} from '#testing';
import { CalculatorAgent } from '../src/calculator/calculator.agent.js';
import { FakeClock } from './support/fake.clock.js';
import { until } from './support/init.js';
import { startRig, type Rig, type RigOptions } from './support/rig.js';

const SUM: Partial<RolloutTask> = { messages: [{ role: 'user', content: '2 + 3?' }], label: '5' };
const SOLUTION = [[toolCall('add', { a: 2, b: 3 })], '5'];

/** Does what the first user message says. */
@Agent({ name: 'obedient' })
class ObedientAgent {
  started = 0;
  rewarded = 0;
  cancelled = 0;

  @Tool({ description: 'Nothing' })
  nothing(): string {
    return 'nothing';
  }

  async run(ctx: RolloutContext): Promise<RolloutResult> {
    this.started++;
    const [first] = ctx.request.messages;
    const end = [...ctx.request.messages, { role: 'assistant', content: 'done' }];
    switch (first?.content) {
      case 'throw TypeError':
        throw new TypeError('workflow exploded');
      case 'throw Error':
        throw new Error('workflow exploded');
      case 'throw TimeoutError':
        throw Object.assign(new Error('my own limit'), { name: 'TimeoutError' });
      case 'hang':
        await sleep(600_000, undefined, { signal: ctx.signal, ref: false }).catch(() => void this.cancelled++);
        return ctx.complete(end);
      case 'block': {
        const until = Date.now() + 150;
        while (Date.now() < until);
        return ctx.complete(end);
      }
      case 'remove':
        ctx.removeSample();
        return ctx.complete(end);
      case 'metrics':
        ctx.recordMetric('ok', 1.5);
        ctx.recordMetric('ratio', NaN);
        ctx.recordMetric('nested', { list: [1, Infinity, 2], map: new Map([[3, 'x']]) });
        return ctx.complete(end);
      case 'own reward':
        return ctx.complete(end, 'stop', 0.25);
      default:
        await ctx.chat(ctx.request.messages);
        return ctx.complete(end);
    }
  }

  @Reward()
  async score(trajectory: RolloutTrajectory): Promise<number> {
    this.rewarded++;
    if (trajectory.groundTruth === 'hang') await sleep(600_000, undefined, { ref: false });
    if (trajectory.groundTruth === 'throw') throw new Error('grader exploded');
    if (trajectory.groundTruth === 'nan') return NaN;
    if (trajectory.groundTruth === 'remove') trajectory.removeSample();
    if (trajectory.groundTruth === 'block') {
      const until = Date.now() + 150;
      while (Date.now() < until);
    }
    return 0.8;
  }
}

describe('dialect 0.3', () => {
  const rigs: Rig[] = [];
  afterEach(async () => {
    await Promise.all(rigs.splice(0).map((rig) => rig.close()));
  });

  async function start(options: RigOptions = {}): Promise<Rig> {
    const rig = await startRig({ providers: [CalculatorAgent], ...options });
    rigs.push(rig);
    return rig;
  }

  const obedient = (options: RigOptions = {}): Promise<Rig> =>
    start({ providers: [ObedientAgent], trainer: { script: () => 'fine' }, ...options });

  const told = (content: string, fields: Partial<RolloutTask> = {}): Partial<RolloutTask> => ({
    messages: [{ role: 'user', content }],
    label: 'truth',
    ...fields,
  });

  async function callbacksOf(rig: Rig, task: Partial<RolloutTask>): Promise<[CompletionCallback, GraderCallback]> {
    const { callbacks } = await rig.run03(task);
    expect(callbacks.map(({ kind }) => kind)).toEqual(['completion', 'grader']);
    return callbacks.map(({ body }) => body) as [CompletionCallback, GraderCallback];
  }

  function post(rig: Rig, path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${rig.serverUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  }

  function rolloutBody(rig: Rig, rolloutId: string, fields: Record<string, unknown> = {}): Record<string, unknown> {
    const messages = [{ role: 'user', content: 'hang' }];
    return {
      initial_messages: messages,
      rollout_id: rolloutId,
      ...rolloutUrls(rig.trainerUrl, rolloutId),
      label: 'truth',
      ...fields,
    };
  }

  async function statusOf(rig: Rig, rolloutId: string): Promise<Record<string, unknown>> {
    const response = await fetch(`${rig.serverUrl}/rollout/${encodeURIComponent(rolloutId)}/status`);
    return (await response.json()) as Record<string, unknown>;
  }

  describe('the exchange (spec 1.0, 1.8, 1.9)', () => {
    it('202 {}, chat at the given address with the tools in it, completion, then grader', async () => {
      const rig = await start({ trainer: { script: SOLUTION } });
      const { callbacks, initStatus, rolloutId } = await rig.run03(SUM);
      expect(initStatus).toBe(202);
      const chats = rig.recorder.chats;
      expect(chats.map(({ path }) => path)).toEqual(Array(2).fill(`/v1/rollouts/${rolloutId}/chat/completions`));
      expect(rig.chatRequests()[0]).toMatchObject({ model: 'osmosis-rollout', messages: SUM.messages, stream: false });
      expect(rig.chatRequests()[0]?.['tools']).toHaveLength(4);
      expect(rig.chatRequests()[0]).not.toHaveProperty('rollout_id');
      expect(callbacks.map(({ body }) => body)).toEqual([
        { status: 'success', rollout_id: rolloutId, extra_fields: null, err_message: null, err_category: null },
        {
          status: 'success',
          rollout_id: rolloutId,
          sample: {
            messages: expect.arrayContaining(SUM.messages ?? []),
            label: '5',
            reward: 1,
            remove_sample: false,
            metrics: expect.objectContaining({ num_llm_calls: 2, num_tool_calls: 1 }),
            extra_fields: expect.objectContaining({ finish_reason: 'stop' }),
          },
          err_message: null,
          err_category: null,
        },
      ]);
      // All keys are always there, and in this order.
      expect(rig.recorder.callbacks.map(({ rawBody }) => Object.keys(JSON.parse(rawBody) as object))).toEqual([
        ['status', 'rollout_id', 'extra_fields', 'err_message', 'err_category'],
        ['status', 'rollout_id', 'sample', 'err_message', 'err_category'],
      ]);
    });

    it('8.1: the callbacks carry the controller key, the chat the llm key', async () => {
      const rig = await start({ trainer: { script: SOLUTION, apiKey: 'callback-key', modelKey: 'llm-key' } });
      await rig.run03(SUM);
      const bearers = (requests: typeof rig.recorder.chats): unknown[] =>
        requests.map(({ headers }) => headers.authorization);
      expect(bearers(rig.recorder.chats)).toEqual(['Bearer llm-key', 'Bearer llm-key']);
      expect(bearers(rig.recorder.callbacks)).toEqual(['Bearer callback-key', 'Bearer callback-key']);
    });

    it('8.1: without an llm key the chat carries the controller key; without any there is no header', async () => {
      const rig = await start({ trainer: { script: SOLUTION, apiKey: 'callback-key' } });
      await rig.run03(SUM);
      expect(rig.recorder.chats[0]?.headers.authorization).toBe('Bearer callback-key');
      const open = await start({ trainer: { script: SOLUTION } });
      await open.run03(SUM);
      expect(open.recorder.requests.every(({ headers }) => headers.authorization === undefined)).toBe(true);
    });

    it('a rollout without an id gets one of 32 hexadecimal digits', async () => {
      const rig = await start({ trainer: { script: SOLUTION } });
      const { rollout_id: _, ...body } = rolloutBody(rig, 'url-id', { initial_messages: SUM.messages });
      const response = await post(rig, '/rollout', body);
      expect([response.status, await response.text()]).toEqual([202, '{}']);
      await until(() => rig.recorder.callbacks.length > 0);
      expect(rig.recorder.callbacks[0]?.body).toMatchObject({ rollout_id: expect.stringMatching(/^[0-9a-f]{32}$/) });
    });

    it('any agent of several has routes of its own', async () => {
      const rig = await start({ providers: [CalculatorAgent, ObedientAgent], trainer: { script: SOLUTION } });
      const { outcome } = await rig.run03({ ...SUM, agent: 'calculator' });
      expect(outcome).toMatchObject({ status: 'COMPLETED', reward: 1 });
      const status = await fetch(`${rig.serverUrl}/agents/calculator/rollout/x/status`);
      expect(await status.json()).toMatchObject({ status: 'unknown' });
      expect((await post(rig, '/rollout', rolloutBody(rig, 'r'))).status).toBe(404);
    });
  });

  describe('one agent, one app', () => {
    it.each([
      ['a good answer', SOLUTION, 'COMPLETED', 1],
      ['a wrong answer', [[toolCall('add', { a: 2, b: 3 })], '6'], 'COMPLETED', 0],
      ['a tool that fails', [[toolCall('divide', { a: 1, b: 0 })], '5'], 'COMPLETED', 1],
      ['a tool that is not there', [[toolCall('power', { a: 1 })], '5'], 'COMPLETED', 1],
      ['an answer that is cut off', [completion('5', { finish_reason: 'length' })], 'COMPLETED', 1],
    ])('%s ends alike in both dialects', async (_name, script, status, reward) => {
      const rig = await start({ trainer: { script } });
      const older = await rig.run({ ...SUM, metadata: { ground_truth: '5' } });
      const { outcome } = await rig.run03(SUM);
      expect(outcome).toEqual({ status, finalMessages: older.final_messages, reward, errorMessage: null });
      expect(older).toMatchObject({ status, reward });
    });

    it('and so does a model that refuses', async () => {
      const rig = await start();
      rig.faults.add({ route: 'chat', faults: [400], repeat: true });
      const older = await rig.run({ ...SUM, metadata: { ground_truth: '5' } });
      const { outcome } = await rig.run03(SUM);
      expect(outcome).toMatchObject({ status: older.status, reward: null });
      const withoutAddress = (text?: string | null): string | undefined =>
        text?.replace(/\S*:\/\/\S*/g, '').replace(/'[^']*'/g, '');
      expect(withoutAddress(outcome?.errorMessage)).toBe(withoutAddress(older.error_message));
    });
  });

  describe('8.1: admission, status, cancel, health, shutdown', () => {
    it('429 with Retry-After when the queue is full; the rollout leaves no trace. A wrong body is 422 all the same', async () => {
      const rig = await obedient({ osmosis: { rollouts: { maxConcurrent: 1, maxQueued: 0 } } });
      expect((await post(rig, '/rollout', rolloutBody(rig, 'first'))).status).toBe(202);
      const refused = await post(rig, '/rollout', rolloutBody(rig, 'second'));
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5']);
      expect(await refused.json()).toEqual({ detail: expect.any(String) });
      expect(await statusOf(rig, 'second')).toMatchObject({ status: 'unknown' });
      expect((await post(rig, '/rollout', rolloutBody(rig, 'second', { label: 5 }))).status).toBe(422);
      await post(rig, '/rollout/cancel', { all: true });
    });

    it('the same body under the same id starts no second rollout, another body is 409', async () => {
      const rig = await obedient();
      const body = rolloutBody(rig, 'twice', { controller_api_key: 'a' });
      expect((await post(rig, '/rollout', body)).status).toBe(202);
      const again = await post(rig, '/rollout', { ...body, controller_api_key: 'renewed' });
      expect([again.status, await again.text()]).toEqual([202, '{}']);
      for (const change of [
        { label: 'other' },
        { agent_timeout_sec: 9 },
        { extra_fields: {} },
        { grader_callback_url: null },
      ]) {
        expect((await post(rig, '/rollout', { ...body, ...change })).status).toBe(409);
      }
      await until(() => rig.app.get(ObedientAgent).started > 0);
      expect(rig.app.get(ObedientAgent).started).toBe(1);
      await post(rig, '/rollout/cancel', { all: true });
    });

    it('the status tells each stage, with exactly four keys', async () => {
      const rig = await obedient({ osmosis: { rollouts: { maxConcurrent: 1 } } });
      await post(rig, '/rollout', rolloutBody(rig, 'running'));
      await post(rig, '/rollout', rolloutBody(rig, 'queued'));
      await until(async () => (await statusOf(rig, 'running'))['status'] === 'running');
      expect(await statusOf(rig, 'queued')).toEqual({
        rollout_id: 'queued',
        status: 'queued',
        reward: null,
        err_message: null,
      });
      await post(rig, '/rollout/cancel', { all: true });
      await until(async () => (await statusOf(rig, 'queued'))['status'] === 'cancelled');
      await post(
        rig,
        '/rollout',
        rolloutBody(rig, 'grading', { initial_messages: [{ role: 'user', content: 'go' }], label: 'hang' }),
      );
      await until(async () => (await statusOf(rig, 'grading'))['status'] === 'grading');
      await post(rig, '/rollout/cancel', { ids: ['grading'] });
      const { rolloutId } = await rig.run03(told('go'));
      expect(await statusOf(rig, rolloutId)).toEqual({
        rollout_id: rolloutId,
        status: 'success',
        reward: 0.8,
        err_message: null,
      });
      const failed = await rig.run03(told('throw Error'));
      expect(await statusOf(rig, failed.rolloutId)).toMatchObject({
        status: 'failure',
        reward: null,
        err_message: 'workflow exploded',
      });
      const removed = await rig.run03(told('remove'));
      expect(await statusOf(rig, removed.rolloutId)).toMatchObject({ status: 'success', reward: null });
    });

    it('cancels by ids, and says what became of each; again it finds nothing', async () => {
      const rig = await obedient({ osmosis: { rollouts: { maxConcurrent: 1 } } });
      for (const id of ['running', 'queued']) await post(rig, '/rollout', rolloutBody(rig, id));
      await until(async () => (await statusOf(rig, 'running'))['status'] === 'running');
      const ids = ['running', 'queued', 'never'];
      const answer = await post(rig, '/rollout/cancel', { ids });
      expect([answer.status, await answer.json()]).toEqual([
        200,
        { dispositions: { running: 'cancelled_running', queued: 'cancelled_queued', never: 'not_found' } },
      ]);
      const again = (await (await post(rig, '/rollout/cancel', { ids })).json()) as { dispositions: object };
      expect(Object.values(again.dispositions)).toEqual(Array(3).fill('not_found'));
      await until(async () => (await statusOf(rig, 'running'))['status'] === 'cancelled');
      expect(rig.app.get(ObedientAgent)).toMatchObject({ cancelled: 1 });
    });

    it('cancels by prefix, those in work and of this dialect only', async () => {
      const rig = await obedient();
      for (const id of ['a::1', 'a::2', 'b::1']) await post(rig, '/rollout', rolloutBody(rig, id));
      const older = {
        rollout_id: 'a::older',
        server_url: rig.trainerUrl,
        messages: [{ role: 'user', content: 'hang' }],
      };
      await post(rig, '/v1/rollout/init', { ...older, completion_params: {} });
      const answer = await post(rig, '/rollout/cancel', { prefix: 'a::' });
      const { dispositions } = (await answer.json()) as { dispositions: Record<string, string> };
      expect(Object.keys(dispositions).sort()).toEqual(['a::1', 'a::2']);
      expect(await statusOf(rig, 'b::1')).toMatchObject({ status: expect.stringMatching(/running|queued/) });
    });

    it('a cancelled rollout calls nobody back, whatever it was doing', async () => {
      const rig = await obedient({ osmosis: { rollouts: { maxConcurrent: 2 } } });
      rig.faults.add({ route: 'completion', rolloutId: 'grading', faults: [503], repeat: true });
      await post(
        rig,
        '/rollout',
        rolloutBody(rig, 'grading', { initial_messages: [{ role: 'user', content: 'go' }], label: 'hang' }),
      );
      await until(() => rig.recorder.callbacks.length > 0);
      await post(rig, '/rollout', rolloutBody(rig, 'running'));
      await post(rig, '/rollout', rolloutBody(rig, 'queued'));
      await post(rig, '/rollout/cancel', { all: true });
      for (const id of ['grading', 'running', 'queued'])
        await until(async () => (await statusOf(rig, id))['status'] === 'cancelled');
      rig.faults.clear();
      // The one that was told nothing yet is not told afterwards either.
      await sleep(150);
      expect(rig.callbacks.responses).toEqual([]);
      const view = await fetch(`${rig.serverUrl}/v1/rollout/grading`);
      expect(await view.json()).toMatchObject({ state: 'done', delivery: { state: 'none' } });
    });

    it('one health body for both dialects, with the instance where it is set', async () => {
      const rig = await obedient({ osmosis: { instanceId: 'i-1', rollouts: { maxConcurrent: 7 } } });
      const health = await (await fetch(`${rig.serverUrl}/health`)).json();
      expect(health).toEqual({
        status: 'healthy',
        agent_loop: 'obedient',
        active_rollouts: 0,
        completed_rollouts: 0,
        concurrency: { max_concurrent: 7, queued: 0, running: 0 },
        instance_id: 'i-1',
      });
    });

    it('the routes want the server key where there is one; /health is open', async () => {
      const rig = await obedient({ osmosis: { apiKeys: 'server-key' } });
      expect((await post(rig, '/rollout', { wrong: true })).status).toBe(401);
      expect((await post(rig, '/rollout/cancel', { all: true })).status).toBe(401);
      expect((await fetch(`${rig.serverUrl}/rollout/x/status`)).status).toBe(401);
      expect((await fetch(`${rig.serverUrl}/health`)).status).toBe(200);
      const headers = { authorization: 'bearer server-key' };
      expect((await post(rig, '/rollout', rolloutBody(rig, 'r', { initial_messages: [] }), headers)).status).toBe(202);
      await rig.callbacks.waitForGrade('r');
    });

    it('a rollout that is cut short by the stop of the server tells its failure', async () => {
      const clock = new FakeClock();
      const rollouts: RolloutModuleInput = { shutdownGraceMs: 100, clock };
      const rig = await obedient({ osmosis: { rollouts } });
      await post(rig, '/rollout', rolloutBody(rig, 'cut'));
      await until(() => rig.app.get(ObedientAgent).started === 1);
      const timers = clock.timerCount;
      const closed = rig.app.close();
      await until(() => clock.timerCount > timers, 'the grace has begun');
      // The time to tell the failure begins with the end of the grace, and does not end.
      clock.advance(100);
      await closed;
      expect(await rig.callbacks.waitForCompletion('cut')).toMatchObject({
        status: 'failure',
        err_category: 'agent_error',
      });
      expect(await rig.callbacks.waitForGrade('cut')).toMatchObject({ status: 'failure', sample: null });
    });
  });

  describe('8.2: callbacks', () => {
    it.each([
      ['throw TypeError', 'validation_error', 'workflow exploded'],
      ['throw Error', 'agent_error', 'workflow exploded'],
      ['throw TimeoutError', 'timeout', 'my own limit'],
    ])(
      'a workflow that fails (%s): one completion with its message, one bare grader failure',
      async (task, category, text) => {
        const rig = await obedient();
        const [completed, graded] = await callbacksOf(rig, told(task));
        expect(completed).toMatchObject({ status: 'failure', err_message: text, err_category: category });
        expect(completed.extra_fields).toMatchObject({ failure: { class: 'agent' } });
        expect(graded).toEqual({
          status: 'failure',
          rollout_id: completed.rollout_id,
          sample: null,
          err_message: null,
          err_category: null,
        });
        expect(rig.app.get(ObedientAgent).rewarded).toBe(0);
      },
    );

    it('8.2, 8.3: metrics are finite and plain on the wire, and the reward is kept', async () => {
      const rig = await obedient();
      const [, { status, sample }] = await callbacksOf(rig, told('metrics'));
      expect([status, sample?.reward]).toEqual(['success', 0.8]);
      expect(sample?.metrics).toMatchObject({ ok: 1.5, nested: { list: [1, 2], map: { 3: 'x' } } });
      expect(sample?.metrics).not.toHaveProperty('ratio');
      expect(rig.log.text).toContain('metrics that have no JSON form are not sent: NaN, Infinity');
    });

    it('a grader that fails: the sample is there, its reward is not', async () => {
      const rig = await obedient();
      const [completed, graded] = await callbacksOf(rig, told('go', { label: 'throw' }));
      expect(completed).toMatchObject({ status: 'success', err_message: null });
      expect(graded).toMatchObject({
        status: 'failure',
        sample: { reward: null, label: 'throw', remove_sample: false },
        err_message: 'grader exploded',
        err_category: 'agent_error',
      });
      expect(graded.sample?.messages).toHaveLength(2);
    });

    it('8.3: a reward that is no number is a validation error', async () => {
      const rig = await obedient();
      const [, graded] = await callbacksOf(rig, told('go', { label: 'nan' }));
      expect(graded).toMatchObject({ status: 'failure', sample: { reward: null }, err_category: 'validation_error' });
    });

    it.each([
      ['the agent', told('remove')],
      ['a reward', told('go', { label: 'remove' })],
    ])('a sample that %s takes out is a success without a reward', async (_who, task) => {
      const rig = await obedient();
      const [, graded] = await callbacksOf(rig, task);
      expect(graded).toMatchObject({ status: 'success', sample: { reward: null, remove_sample: true } });
    });

    it('8.4: a reward that the loop gives itself is the grade', async () => {
      const rig = await obedient();
      const [, graded] = await callbacksOf(rig, told('own reward', { label: null }));
      expect(graded).toMatchObject({ status: 'success', sample: { reward: 0.25, label: null } });
    });

    it('8.4: no label and no metadata: nothing is graded, and the grader callback says failure', async () => {
      const rig = await obedient();
      const [completed, graded] = await callbacksOf(rig, told('go', { label: null }));
      expect(completed.status).toBe('success');
      expect(graded).toMatchObject({ status: 'failure', sample: null, err_message: null, err_category: null });
      expect(rig.app.get(ObedientAgent).rewarded).toBe(0);
      const [, withMetadata] = await callbacksOf(rig, told('go', { label: null, metadata: {} }));
      expect(withMetadata).toMatchObject({ status: 'success', sample: { reward: 0.8 } });
    });

    it.each([null, ''])(
      'without a grader address (%j) nothing is graded, and only the completion is posted',
      async (url) => {
        const rig = await obedient();
        const go = [{ role: 'user', content: 'go' }];
        await post(rig, '/rollout', rolloutBody(rig, 'r', { initial_messages: go, grader_callback_url: url }));
        await rig.callbacks.waitForCompletion('r');
        await until(async () => (await statusOf(rig, 'r'))['status'] === 'success');
        expect(rig.callbacks.of('r').map(({ kind }) => kind)).toEqual(['completion']);
        expect(rig.app.get(ObedientAgent).rewarded).toBe(0);
        await until(async () => {
          const view = (await (await fetch(`${rig.serverUrl}/v1/rollout/r`)).json()) as { delivery: { state: string } };
          return view.delivery.state === 'delivered';
        });
      },
    );

    it('a completion whose delivery fails is repeated as it is, and the grade waits for it', async () => {
      const rig = await obedient();
      rig.faults.onCompletionCallback(503, 'drop-after', 500);
      const { callbacks } = await rig.run03(told('go'));
      // The lost acknowledgement makes one completion come twice.
      expect(callbacks.map(({ kind }) => kind)).toEqual(['completion', 'completion', 'grader']);
      const posts = rig.recorder.callbacks;
      const completions = posts.filter(({ path }) => path.endsWith('/completion'));
      expect(completions).toHaveLength(4);
      expect(new Set(completions.map(({ rawBody }) => rawBody)).size).toBe(1);
      expect(new Set(completions.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
      expect(posts.at(-1)?.path).toMatch(/\/grader$/);
    });

    it.each([
      ['repeated', [429, 500, 502, 503, 504]],
      ['final', [302, 400, 401, 403, 404, 409, 422]],
    ] as const)('8.9: what makes a delivery %s: %p', async (kind, statuses) => {
      const rig = await obedient();
      const posts = async (status: number): Promise<number> => {
        const task = told('own reward', { rolloutId: `answered ${status}` });
        rig.faults.add({ route: 'completion', rolloutId: task.rolloutId, faults: [status] });
        await rig.run03(task);
        return rig.recorder.forRollout(task.rolloutId ?? '').filter(({ path }) => path.endsWith('/completion')).length;
      };
      expect(await Promise.all(statuses.map(posts))).toEqual(statuses.map(() => (kind === 'repeated' ? 2 : 1)));
    });

    it('a completion that is refused is not contradicted, and the grade still comes', async () => {
      const rig = await obedient();
      rig.faults.onCompletionCallback(404);
      const { callbacks, rolloutId } = await rig.run03(told('go'));
      expect(callbacks).toMatchObject([{ kind: 'grader', body: { status: 'success', sample: { reward: 0.8 } } }]);
      expect(rig.recorder.callbacks.map(({ path }) => path.split('/').at(-1))).toEqual(['completion', 'grader']);
      expect(rig.log.text).toContain(`rollout "${rolloutId}": the announcement is a dead letter`);
      const list = async (): Promise<{ rollouts: object[] }> =>
        (await (await fetch(`${rig.serverUrl}/v1/rollouts?status=dead`)).json()) as { rollouts: object[] };
      await until(async () => (await list()).rollouts.length === 1);
      expect((await list()).rollouts).toMatchObject([{ rollout_id: rolloutId, delivery: { state: 'dead' } }]);
      await post(rig, `/v1/rollout/${rolloutId}/redeliver`, {});
      expect(await rig.callbacks.waitForCompletion(rolloutId)).toMatchObject({ status: 'success' });
      await until(async () => (await list()).rollouts.length === 0);
      expect(rig.callbacks.of(rolloutId).map(({ kind }) => kind)).toEqual(['grader', 'completion']);
    });

    it('a refused message is a dead letter that can be sent again, the completion first', async () => {
      const rig = await obedient();
      rig.faults.onCompletionCallback(404).onGraderCallback(404);
      await post(rig, '/rollout', rolloutBody(rig, 'dead', { initial_messages: [{ role: 'user', content: 'go' }] }));
      const view = async (): Promise<unknown> => (await fetch(`${rig.serverUrl}/v1/rollout/dead`)).json();
      await until(async () => ((await view()) as { delivery?: { state?: string } }).delivery?.state === 'dead');
      expect((await post(rig, '/v1/rollout/dead/redeliver', {})).status).toBe(202);
      await rig.callbacks.waitForGrade('dead');
      expect(rig.callbacks.of('dead').map(({ kind }) => kind)).toEqual(['completion', 'grader']);
      await until(async () => ((await view()) as { delivery?: { state?: string } }).delivery?.state === 'delivered');
    });

    it('the completion is told while the rewards are still computed', async () => {
      const rig = await obedient();
      await post(
        rig,
        '/rollout',
        rolloutBody(rig, 'r', { initial_messages: [{ role: 'user', content: 'go' }], label: 'hang' }),
      );
      await rig.callbacks.waitForCompletion('r');
      expect(await statusOf(rig, 'r')).toMatchObject({ status: 'grading' });
      await post(rig, '/rollout/cancel', { ids: ['r'] });
    });
  });

  describe('8.4: deadlines of two phases', () => {
    it('an agent that hangs: cancelled, told, and its slot free', async () => {
      const rig = await obedient({ osmosis: { rollouts: { maxConcurrent: 1 } } });
      const [completed, graded] = await callbacksOf(rig, told('hang', { agentTimeoutSec: 0.5 }));
      expect(completed).toMatchObject({ status: 'failure', err_category: 'timeout' });
      expect(completed.err_message).toContain('0.5s deadline');
      expect(graded).toMatchObject({ status: 'failure', sample: null });
      // On a busy machine its time may be over before it has begun.
      const { started } = rig.app.get(ObedientAgent);
      await until(() => rig.app.get(ObedientAgent).cancelled === started);
      expect((await rig.run03(told('go'))).outcome?.reward).toBe(0.8);
    });

    it('a grader that hangs: the workflow is a success, the grade a time-out', async () => {
      const rig = await obedient();
      const [completed, graded] = await callbacksOf(
        rig,
        told('go', { label: 'hang', agentTimeoutSec: 600, graderTimeoutSec: 0.05 }),
      );
      expect(completed.status).toBe('success');
      expect(graded).toMatchObject({ status: 'failure', sample: { reward: null }, err_category: 'timeout' });
      expect(graded.err_message).toContain('0.05s deadline');
    });

    it.each([0, -1])('%d seconds have expired already: the agent is not even begun', async (agentTimeoutSec) => {
      const rig = await obedient();
      const [completed] = await callbacksOf(rig, told('go', { agentTimeoutSec }));
      expect(completed).toMatchObject({ status: 'failure', err_category: 'timeout' });
      expect(completed.err_message).toContain(`${agentTimeoutSec.toFixed(1)}s deadline`);
      expect(rig.app.get(ObedientAgent).started).toBe(0);
    });

    it('the wait for a slot uses up the agent budget, and the message says so', async () => {
      const rig = await obedient({ osmosis: { rollouts: { maxConcurrent: 1 } } });
      await post(rig, '/rollout', rolloutBody(rig, 'holds the slot'));
      const [completed] = await callbacksOf(rig, told('go', { agentTimeoutSec: 0.1 }));
      expect(completed).toMatchObject({ status: 'failure', err_category: 'timeout' });
      expect(completed.err_message).toMatch(/0\.1s deadline.*queue/);
      await post(rig, '/rollout/cancel', { all: true });
    });

    it('what blocks the event loop past its budget comes too late, agent and grader', async () => {
      const rig = await obedient();
      const [late] = await callbacksOf(rig, told('block', { agentTimeoutSec: 0.1 }));
      expect(late).toMatchObject({ status: 'failure', err_category: 'timeout' });
      const [completed, graded] = await callbacksOf(rig, told('go', { label: 'block', graderTimeoutSec: 0.1 }));
      expect(completed.status).toBe('success');
      expect(graded).toMatchObject({ status: 'failure', sample: { reward: null }, err_category: 'timeout' });
    });

    it('a budget longer than a timer can run does not fire at once', async () => {
      const rig = await obedient();
      const { outcome } = await rig.run03(told('go', { agentTimeoutSec: 1e10, graderTimeoutSec: 1e10 }));
      expect(outcome).toMatchObject({ status: 'COMPLETED', reward: 0.8 });
    });

    it('finishing within the budget is a success', async () => {
      const rig = await obedient({ trainer: { script: () => delayed(20, 'fine') } });
      const { outcome } = await rig.run03(told('go', { agentTimeoutSec: 600, graderTimeoutSec: 600 }));
      expect(outcome).toMatchObject({ status: 'COMPLETED', reward: 0.8 });
    });
  });
});
