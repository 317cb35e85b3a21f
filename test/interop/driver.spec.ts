import { rolloutUrls } from '#testing';
import { CalculatorAgent } from '../../src/calculator/calculator.agent.js';
import { expectIdle } from '../support/assertions.js';
import { statusOf as recordOf, until } from '../support/init.js';
import { startRig, type Rig, type RigOptions } from '../support/rig.js';
import { SdkDriver, type Callback, type RunRequest, type Told } from './driver/sdk-driver.js';
import { ToldAgent } from './driver/told.agent.js';
import { callsFor, SUMS } from './exchange/sums.js';
import { describeWithSdk } from './support/python.js';

let ids = 0;

/** A request with an id of its own. */
function told(content: string, fields: Partial<RunRequest> = {}): RunRequest {
  return { rollout_id: `told-${ids++}`, messages: [{ role: 'user', content }], label: '5', ...fields };
}

/** The routes that were called, in order. */
const routes = ({ callbacks }: Told): string[] => callbacks.map(({ route }) => route);

const bodyOf = ({ callbacks }: Told, wanted: Callback['route']): Callback['body'] | undefined =>
  callbacks.find(({ route }) => route === wanted)?.body;

describeWithSdk('the driver, listener and store of osmosis-ai 0.3.2 drive our server', () => {
  let slowAnswer = (): void => {};
  const slowly = new Promise<string>((resolve) => (slowAnswer = () => resolve('5')));
  const open: { close(): Promise<void> }[] = [];
  let rig: Rig;
  let driver: SdkDriver;

  beforeAll(async () => {
    ({ rig, driver } = await start());
  });

  afterAll(async () => {
    for (const one of open.splice(0).reverse()) await one.close();
  });

  async function start(options: RigOptions = {}): Promise<{ rig: Rig; driver: SdkDriver }> {
    const started = await startRig({
      providers: [ToldAgent],
      trainer: {
        script: ({ messages }) => (messages[0]?.content === 'slowly' ? slowly : '5'),
        modelKey: 'model-key',
      },
      ...options,
    });
    open.push(started);
    return { rig: started, driver: startDriver(started.serverUrl, started.trainerUrl) };
  }

  function startDriver(serverUrl: string, modelUrl: string): SdkDriver {
    const started = SdkDriver.start(serverUrl, modelUrl);
    open.push({ close: () => started.stop() });
    return started;
  }

  const statusOf = async ({ rollout_id }: RunRequest): Promise<unknown> =>
    (await fetch(`${rig.serverUrl}/rollout/${encodeURIComponent(rollout_id)}/status`)).json();

  const agent = (): ToldAgent => rig.app.get(ToldAgent);

  describe('success (spec 8.5)', () => {
    it('a sample with its reward, after completion and grader in this order', async () => {
      const request = told('2 + 3?', { metadata: { level: 1 }, extra_fields: { row: 7 } });
      const answer = await driver.run(request);
      expect(answer).toMatchObject({ status: 'success', error: null, commits: ['grader'], conflicts: [] });
      expect(answer.sample).toMatchObject({
        messages: [...request.messages, { role: 'assistant', content: '5' }],
        label: '5',
        reward: 1,
        remove_sample: false,
      });
      expect(routes(answer)).toEqual(['completion', 'grader']);
      expect(answer.callbacks.map(({ ack }) => ack)).toEqual([{ ok: true }, { ok: true, commit: 1 }]);
      expect(bodyOf(answer, 'completion')).toMatchObject({ status: 'success', err_message: null, err_category: null });
      expect(rig.recorder.chats.at(-1)?.headers.authorization).toBe('Bearer model-key');
    });

    it.each(['rid:1', 'tenant-a::r1', 'mit Leerzeichen ü 😀', '%41+?#&='])('the id %s finds its way', async (id) => {
      const answer = await driver.run(told('hi', { rollout_id: id }));
      expect(answer).toMatchObject({ status: 'success', sample: { reward: 1 } });
      expect(answer.callbacks.map(({ body }) => body['rollout_id'])).toEqual([id, id]);
    });

    it('a slow commit is waited for', async () => {
      const request = told('hi');
      expect(await driver.run(request, { commit: 'slow' })).toMatchObject({ status: 'success', commits: ['grader'] });
      await expectIdle(rig);
      expect((await driver.told(request.rollout_id)).callbacks).toHaveLength(2);
    });

    it('50 problems end as in dialect 0.2', async () => {
      const calculator = await start({
        providers: [CalculatorAgent],
        trainer: { toolCallGenerator: callsFor },
      });
      const label = 'The calculation is complete.';
      for (const { messages } of SUMS) {
        const { status, sample, conflicts } = await calculator.driver.run({ ...told(''), messages, label });
        const { final_messages, reward } = await calculator.rig.run({ messages, metadata: { ground_truth: label } });
        expect({ status, conflicts }).toEqual({ status: 'success', conflicts: [] });
        expect({ messages: sample?.['messages'], reward: sample?.['reward'] }).toEqual({
          messages: final_messages,
          reward,
        });
      }
    });
  });

  describe('failure', () => {
    it('of the agent: the completion says why, the grader ends it', async () => {
      const request = told('throw');
      const answer = await driver.run(request);
      expect(answer).toMatchObject({
        status: 'failure',
        error: null,
        sample: null,
        commits: ['grader'],
        conflicts: [],
      });
      expect(bodyOf(answer, 'completion')).toMatchObject({
        status: 'failure',
        err_message: 'workflow exploded',
        err_category: 'agent_error',
      });
      expect(await statusOf(request)).toMatchObject({ status: 'failure', err_message: 'workflow exploded' });
    });

    it('of the reward: the sample comes without one', async () => {
      const answer = await driver.run(told('hi', { label: 'throw' }));
      expect(answer).toMatchObject({ status: 'failure', error: 'grader exploded', sample: { reward: null } });
      expect(bodyOf(answer, 'completion')).toMatchObject({ status: 'success' });
    });

    it('nothing to grade: the grader callback comes all the same', async () => {
      const answer = await driver.run(told('hi', { label: null }));
      expect(answer).toMatchObject({ status: 'failure', error: null, sample: null });
      expect(routes(answer)).toEqual(['completion', 'grader']);
    });

    it("of the agent's deadline", async () => {
      const answer = await driver.run(told('hang', { agent_timeout_sec: 0.1 }));
      expect(answer).toMatchObject({ status: 'failure', sample: null });
      expect(bodyOf(answer, 'completion')).toMatchObject({ status: 'failure', err_category: 'timeout' });
    });

    it('a server without the dialect is a protocol error, and is asked once', async () => {
      const lost = startDriver(`${rig.serverUrl}/elsewhere`, rig.trainerUrl);
      expect(await lost.run(told('hi'))).toMatchObject({
        raised: 'RolloutProtocolError',
        status_code: 404,
        callbacks: [],
      });
    });

    it('callbacks that the listener refuses are tried once each', async () => {
      const request = told('hi');
      const answer = await driver.run(request, { key: 'another-key', callback_timeout_sec: 10 });
      expect(answer).toMatchObject({ status: 'failure', error: 'callback_timeout', callbacks: [] });
      await expectIdle(rig);
      const { delivery } = await recordOf(rig, request.rollout_id);
      expect(delivery).toMatchObject({ state: 'dead', attempts: 2 });
      expect(delivery?.last_error).toMatch(/answered 401.*Unauthorized/);
    });
  });

  describe('timeout and cancellation', () => {
    it('a callback timeout cancels the rollout, which then says nothing', async () => {
      const request = told('hang');
      const before = agent().cancelled;
      const answer = await driver.run(request, { callback_timeout_sec: 3 });
      expect(answer).toMatchObject({ status: 'failure', error: 'callback_timeout', commits: ['timeout'] });
      await expectIdle(rig);
      expect(agent().cancelled).toBe(before + 1);
      expect(await statusOf(request)).toMatchObject({ status: 'cancelled' });
      expect(await driver.told(request.rollout_id)).toEqual({ callbacks: [], commits: ['timeout'], conflicts: [] });
    });

    it('a driver that is cancelled cancels the rollout', async () => {
      const request = told('hang');
      const before = agent().cancelled;
      expect(await driver.run(request, { cancel_once_running: true })).toMatchObject({ raised: 'CancelledError' });
      await expectIdle(rig);
      expect(agent().cancelled).toBe(before + 1);
      expect(await statusOf(request)).toMatchObject({ status: 'cancelled' });
      expect(await driver.told(request.rollout_id)).toEqual({ callbacks: [], commits: [], conflicts: [] });
    });

    it('callbacks after a timeout whose cancellation failed are taken with the stored answer', async () => {
      const request = told('slowly');
      const answer = await driver.run(request, { callback_timeout_sec: 1, cancel_fails: true });
      expect(answer).toMatchObject({ status: 'failure', error: 'callback_timeout', callbacks: [] });
      slowAnswer();
      await until(async () => (await driver.told(request.rollout_id)).callbacks.length === 2, 'both late callbacks');
      const late = await driver.told(request.rollout_id);
      expect(routes(late)).toEqual(['completion', 'grader']);
      const stored = { ok: true, error_type: 'callback_timeout' };
      expect(late.callbacks.map(({ ack }) => ack)).toEqual([stored, stored]);
      expect(late).toMatchObject({ commits: ['timeout'], conflicts: [] });
      await expectIdle(rig);
      expect(await recordOf(rig, request.rollout_id)).toMatchObject({ delivery: { state: 'delivered', attempts: 2 } });
    });
  });

  it('429: the driver waits as long as it is told, and registers once', async () => {
    const statuses: number[] = [];
    const busy = await start({
      osmosis: { rollouts: { maxConcurrent: 1, maxQueued: 0 } },
      configure: (app) => {
        app
          .getHttpAdapter()
          .getInstance()
          .addHook('onResponse', (request, reply, done) => {
            if (request.method === 'POST' && request.url === '/rollout') statuses.push(reply.statusCode);
            done();
          });
      },
    });
    const holder = await fetch(`${busy.rig.serverUrl}/rollout`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        initial_messages: told('hang').messages,
        rollout_id: 'holder',
        ...rolloutUrls(busy.rig.trainerUrl, 'holder'),
      }),
    });
    expect(holder.status).toBe(202);
    const running = busy.driver.run(told('hi'));
    await until(() => statuses.includes(429), 'a refusal');
    await fetch(`${busy.rig.serverUrl}/rollout/cancel`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ids: ['holder'] }),
    });
    expect(await running).toMatchObject({ status: 'success', sample: { reward: 1 }, commits: ['grader'] });
    // Refused once or, where the cancellation was late, more often; taken once.
    expect(statuses.filter((status) => status !== 429)).toEqual([202, 202]);
  });

  describe('repeated callbacks', () => {
    it('a failed commit: the grader callback comes again, and commits', async () => {
      const answer = await driver.run(told('hi'), { commit: 'fails once' });
      expect(answer).toMatchObject({ status: 'success', commits: ['grader', 'grader'], conflicts: [] });
      expect(answer.callbacks.map(({ route, error, ack }) => [route, error ?? ack])).toEqual([
        ['completion', { ok: true }],
        ['grader', 'RuntimeError'],
        ['grader', { ok: true, commit: 2 }],
      ]);
    });

    it.each(['completion', 'grader'] as const)(
      'a lost acknowledgement: the same %s once more, and no conflict',
      async (lose) => {
        const request = told('hi');
        expect(await driver.run(request, { lose })).toMatchObject({ status: 'success' });
        await until(async () => routes(await driver.told(request.rollout_id)).length === 3, 'the repetition');
        await expectIdle(rig);
        const { callbacks, commits, conflicts } = await driver.told(request.rollout_id);
        expect({ commits, conflicts }).toEqual({ commits: ['grader'], conflicts: [] });
        const repeated = callbacks.filter(({ route }) => route === lose);
        expect(repeated).toHaveLength(2);
        expect(repeated[1]).toEqual(repeated[0]);
      },
    );
  });
});
