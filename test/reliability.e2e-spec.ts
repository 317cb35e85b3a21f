import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, RolloutContext, type OsmosisModuleOptions, type RolloutResult } from '#osmosis';
import { SqliteRolloutStore, type RolloutModuleInput } from '#rollout';
import { createMockTrainerApp, FaultPlan, RequestRecorder, RolloutCompletionTracker, type Fault } from '#testing';
import { expectAlive, expectIdle, expectOneCompletionEach } from './support/assertions.js';
import { CompiledPackage } from './support/compiled.package.js';
import { FailingStore } from './support/failing.store.js';
import { FakeClock } from './support/fake.clock.js';
import { activeRollouts, init, MESSAGES, PATIENT, type StatusBody, statusOf, until } from './support/init.js';
import { startRig, type Rig } from './support/rig.js';

const HOUR_MS = 3_600_000;
const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Every run of an agent, by rollout id. */
const runs: string[] = [];
let gate: Promise<void> | null = null;

/** Ends at once, or when the gate opens; never asks the model. */
@Agent({ name: 'instant', default: true })
class InstantAgent {
  async run(ctx: RolloutContext): Promise<RolloutResult> {
    runs.push(ctx.request.rolloutId);
    await gate;
    return ctx.complete([...MESSAGES, { role: 'assistant', content: `done ${ctx.request.rolloutId}` }]);
  }
}

@Agent({ name: 'undecided' })
class UndecidedAgent {
  getTools(): Promise<string[]> {
    return new Promise(() => {});
  }
}

const started: Rig[] = [];
const undo: (() => unknown)[] = [];

async function start(rollouts: RolloutModuleInput = {}): Promise<Rig> {
  const rig = await startRig({ providers: [InstantAgent], osmosis: { rollouts } });
  started.push(rig);
  return rig;
}

beforeEach(() => {
  runs.length = 0;
  gate = null;
});
afterEach(async () => {
  for (const rig of started.splice(0)) await rig.close();
  for (const step of undo.splice(0)) await step();
});

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'osmosis-'));
  undo.push(() => rmSync(folder, { recursive: true }));
  return folder;
}

function ids(count: number, prefix = 'r'): string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}${index}`);
}

async function acceptAll(rig: Rig, rolloutIds: readonly string[], fields: object = {}): Promise<void> {
  const answers = await Promise.all(rolloutIds.map((id) => init(rig, id, fields)));
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
}

/** The trainer fails every completion, in the ways trainers do. */
function outage({ faults }: Rig): void {
  faults.add({ route: 'completed', faults: [503, 'drop-before', 500], repeat: true });
}

/** Of all attempts that the recorder still knows: one body and one key a rollout. */
function expectSameBytes({ recorder }: Rig): void {
  const told = new Map<string | undefined, Set<string>>();
  for (const { rolloutId, rawBody, headers } of recorder.completions) {
    const seen = told.get(rolloutId) ?? new Set();
    told.set(rolloutId, seen.add(`${String(headers['idempotency-key'])} ${rawBody}`));
  }
  expect([...told.values()].filter(({ size }) => size !== 1)).toEqual([]);
}

function expectEachDeliveredOnce(rig: Rig, rolloutIds: readonly string[]): void {
  expect(rig.tracker.responses.map((response) => response.rollout_id).sort()).toEqual([...rolloutIds].sort());
  expectSameBytes(rig);
}

describe('a trainer that is down', () => {
  it('for seconds, with 500 finished rollouts: all run on few slots, and all are delivered once', async () => {
    const rig = await start({ maxConcurrent: 4, delivery: { backoff: { baseDelayMs: 20, maxDelayMs: 1_000 } } });
    outage(rig);
    const all = ids(500);
    await acceptAll(rig, all);
    // A rollout gives its slot back before its outcome is delivered.
    await until(() => runs.length === all.length, 'all rollouts run');
    await sleep(2_000);
    expect(rig.tracker.responses).toEqual([]);
    rig.faults.clear();
    await rig.tracker.waitForCount(all.length, 60_000);
    await expectIdle(rig);
    expectEachDeliveredOnce(rig, all);
  }, 120_000);

  it('for 10 hours, with 500 finished rollouts: all are delivered once', async () => {
    const clock = new FakeClock();
    const backoff = { baseDelayMs: 60_000, maxDelayMs: HOUR_MS };
    const rig = await start({ clock, delivery: { backoff } });
    const idleTimers = clock.timerCount;
    const settled = (): Promise<void> =>
      until(() => clock.timerCount === idleTimers + 500, 'every completion waits for its next attempt');
    rig.faults.add({ route: 'completed', faults: [503], repeat: true });
    const all = ids(500);
    await acceptAll(rig, all);
    await settled();
    for (let passed = 0; passed < 10 * HOUR_MS; passed += HOUR_MS) {
      clock.advance(HOUR_MS);
      await settled();
    }
    expect(rig.tracker.responses).toEqual([]);
    expect((await statusOf(rig, 'r7')).delivery).toMatchObject({ state: 'pending', attempts: 11 });
    rig.faults.clear();
    clock.advance(HOUR_MS);
    await rig.tracker.waitForCount(all.length, 60_000);
    await expectIdle(rig);
    expectEachDeliveredOnce(rig, all);
  }, 120_000);

  it('for longer than the horizon of 24 hours: dead letters, visible, and delivered when asked', async () => {
    const clock = new FakeClock();
    const rig = await start({
      clock,
      // A store in memory forgets dead letters with everything else.
      recordTtlMs: 48 * HOUR_MS,
      delivery: { backoff: { baseDelayMs: HOUR_MS, maxDelayMs: 4 * HOUR_MS } },
    });
    const idleTimers = clock.timerCount;
    rig.faults.add({ route: 'completed', faults: [503], repeat: true });
    const all = ids(20);
    await acceptAll(rig, all);
    const attempted = (): Promise<void> =>
      until(
        async () => clock.timerCount === idleTimers + (await activeRollouts(rig)),
        'every completion waits for its next attempt, or is dead',
      );
    await attempted();
    for (let hours = 1; hours <= 15; hours++) {
      clock.advance(HOUR_MS);
      await attempted();
    }
    // With delays of four hours at most, none has been given up four hours before the horizon.
    expect((await statusOf(rig, 'r0')).delivery).toMatchObject({ state: 'pending' });
    for (let hours = 16; hours <= 24; hours++) {
      clock.advance(HOUR_MS);
      await attempted();
    }
    const response = await fetch(`${rig.serverUrl}/v1/rollouts?status=dead`);
    const { rollouts: dead } = (await response.json()) as { rollouts: StatusBody[] };
    expect(dead.map(({ rollout_id: id }) => id).sort()).toEqual([...all].sort());
    expect(dead[0]).toMatchObject({ status: 'COMPLETED', delivery: { state: 'dead' } });
    expect(rig.log.text).toMatch(/"r0": the completion is a dead letter after \d+ attempt/);
    await expectIdle(rig);

    rig.faults.clear();
    const asked = await fetch(`${rig.serverUrl}/v1/rollout/r0/redeliver`, { method: 'POST' });
    expect(asked.status).toBe(202);
    await rig.tracker.waitFor('r0');
    await expectIdle(rig);
    expectSameBytes(rig);
    // The attempts of before still count, and those of now come after them.
    const { delivery } = await statusOf(rig, 'r0');
    const attempts = rig.recorder.completions.filter(({ rolloutId }) => rolloutId === 'r0');
    expect(delivery).toMatchObject({ state: 'delivered', attempts: attempts.length });
  });

  it('hangs: it holds up its own completions only', async () => {
    const rig = await startRig({
      providers: [InstantAgent],
      osmosis: {
        rollouts: { maxConcurrent: 2, delivery: { perTrainer: 4 } },
        trainer: { deliveryTimeoutMs: 600_000 },
      },
    });
    started.push(rig);
    rig.faults.add({ route: 'completed', faults: [{ delayMs: 600_000 }], repeat: true });
    const tracker = new RolloutCompletionTracker(PATIENT);
    const other = await createMockTrainerApp({ tracker, logger: false });
    undo.push(() => other.close());
    await other.listen(0, '127.0.0.1');

    await acceptAll(rig, ids(100, 'slow'));
    await until(() => rig.recorder.completions.length === 4, 'four completions hang');
    await acceptAll(rig, ids(100, 'quick'), { server_url: await other.getUrl() });
    await tracker.waitForCount(100);
    expect(rig.tracker.responses).toEqual([]);
    expect(rig.recorder.completions).toHaveLength(4);
  });
});

describe('LC-07: what the trainer says to a completion', () => {
  let rig: Rig;
  async function serve(trainer: OsmosisModuleOptions['trainer'] = {}): Promise<void> {
    const delivery = { maxRetries: 2, backoff: { baseDelayMs: 20, maxDelayMs: 40 } };
    const rollouts = { maxConcurrent: 1, delivery };
    rig = await startRig({ providers: [InstantAgent], osmosis: { rollouts, trainer } });
    started.push(rig);
  }
  beforeEach(() => serve());
  afterEach(async () => {
    // A-SLOT: whatever became of the completion, the only slot is free for the next rollout.
    rig.faults.clear();
    await expectAlive(rig);
    expect(await rig.run()).toMatchObject({ status: 'COMPLETED' });
    expectOneCompletionEach(rig);
    expectSameBytes(rig);
  });

  async function told(...faults: readonly Fault[]) {
    rig.faults.onCompleted(...faults);
    await acceptAll(rig, ['r']);
    await expectIdle(rig);
    return { status: await statusOf(rig, 'r'), attempts: rig.recorder.completions };
  }

  it.each([200, 202, 204])('%i acknowledges', async (status) => {
    const { status: view, attempts } = await told({ status, body: '' });
    expect(view).toMatchObject({ status: 'COMPLETED', delivery: { state: 'delivered', attempts: 1 } });
    expect(attempts).toHaveLength(1);
  });

  it('500, 500, 200: delivered with the third attempt', async () => {
    const { status, attempts } = await told(500, 500);
    expect(status).toMatchObject({ delivery: { state: 'delivered', attempts: 3 } });
    expect(attempts).toHaveLength(3);
    expect(rig.tracker.responses).toHaveLength(1);
  });

  it.each([400, 401, 404, 409, 410, 422])('%i refuses for good: a dead letter after one attempt', async (code) => {
    const { status, attempts } = await told(code, code);
    expect(attempts).toHaveLength(1);
    expect(status.delivery).toMatchObject({ state: 'dead', attempts: 1 });
    expect(status.delivery?.last_error).toContain(String(code));
    expect(rig.log.text).toContain('rollout "r": the completion is a dead letter');
  });

  it.each([408, 425])('%i is worth another try', async (code) => {
    const { status } = await told(code);
    expect(status).toMatchObject({ delivery: { state: 'delivered', attempts: 2 } });
  });

  it('429 with Retry-After: the next attempt waits as long as asked', async () => {
    rig.faults.onCompleted({ status: 429, headers: { 'retry-after': '1' } });
    await acceptAll(rig, ['r']);
    await rig.tracker.waitFor('r');
    const [first, second] = rig.recorder.completions;
    expect(second!.receivedAt - first!.receivedAt).toBeGreaterThanOrEqual(990);
  });

  it('no answer at all: each attempt ends at its time limit, all of them at the last retry', async () => {
    await serve({ deliveryTimeoutMs: 1_000 });
    const { status, attempts } = await told({ delayMs: 600_000 }, { delayMs: 600_000 }, { delayMs: 600_000 });
    expect(attempts).toHaveLength(3);
    expect(status.delivery).toMatchObject({ state: 'dead', attempts: 3 });
    expect(status.delivery?.last_error).toMatch(/timeout.*1 s \(limit client\.deliveryTimeoutMs\)/);
  });

  it('connection refused for ever: a dead letter in the end', async () => {
    // Of the ports that are given out, one that was just closed may be another's by now.
    await acceptAll(rig, ['r'], { server_url: 'http://127.0.0.1:9' });
    await expectIdle(rig);
    const { delivery } = await statusOf(rig, 'r');
    expect(delivery).toMatchObject({ state: 'dead', attempts: 3 });
    expect(delivery?.last_error).toMatch(/refused/i);
  });
});

describe('many requests at once', () => {
  it('1,000 duplicate inits for 10 ids are 10 runs with 10 answers and 10 completions', async () => {
    const rig = await start();
    let open = (): void => {};
    gate = new Promise((resolve) => (open = resolve));
    const ten = ids(10);
    const answers = await Promise.all(ids(1_000).map((_, index) => init(rig, ten[index % 10]!)));
    expect(answers.every(({ status }) => status === 202)).toBe(true);
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(10);
    open();
    await rig.tracker.waitForCount(10);
    await expectIdle(rig);
    expect([...runs].sort()).toEqual(ten);
    expectEachDeliveredOnce(rig, ten);

    const other = await init(rig, 'r0', { messages: [{ role: 'user', content: 'something else' }] });
    expect(other.status).toBe(409);
  });

  it('the queue is bounded however many come at the same moment', async () => {
    const store = new FailingStore();
    // All 50 are being accepted before the first of them waits.
    store.accepted = () => sleep(100).then(() => undefined);
    const rig = await start({ maxConcurrent: 1, maxQueued: 5, store, dataDir: temporaryFolder() });
    let open = (): void => {};
    gate = new Promise((resolve) => (open = resolve));
    const answers = await Promise.all(ids(50).map((id) => init(rig, id)));
    const accepted = answers.filter(({ status }) => status === 202);
    expect(accepted).toHaveLength(6);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 429]));
    open();
    await rig.tracker.waitForCount(6);
  });
});

describe('a store that cannot be written', () => {
  let store: FailingStore;
  let rig: Rig;

  beforeEach(async () => {
    store = new FailingStore();
    rig = await start({ store, dataDir: temporaryFolder() });
  });

  const ready = async (): Promise<{ status: number; text: string }> => {
    const response = await fetch(`${rig.serverUrl}/readyz`);
    return { status: response.status, text: await response.text() };
  };

  it('refuses inits with 503, is not ready but alive, and goes on when the disk has room again', async () => {
    expect((await ready()).status).toBe(200);
    store.fault = new Error('the disk is full');
    const refused = await init(rig, 'r');
    expect(refused).toMatchObject({ status: 503, body: { detail: expect.stringContaining('the disk is full') } });
    expect(await ready()).toEqual({ status: 503, text: expect.stringContaining('the disk is full') });
    expect((await fetch(`${rig.serverUrl}/livez`)).status).toBe(200);
    await expectIdle(rig);
    expect(runs).toEqual([]);

    store.fault = null;
    expect((await ready()).status).toBe(200);
    // What was refused left no trace: the same request is taken now.
    expect((await init(rig, 'r')).status).toBe(202);
    await rig.tracker.waitFor('r');
  });

  it('holds back no outcome: what was accepted before is delivered, and can be looked at', async () => {
    let open = (): void => {};
    gate = new Promise((resolve) => (open = resolve));
    await acceptAll(rig, ['r']);
    await until(() => runs.length === 1, 'it runs');
    store.fault = new Error('the disk is full');
    open();
    expect(await rig.tracker.waitFor('r')).toMatchObject({ status: 'COMPLETED' });
    await expectIdle(rig);
    expect(await statusOf(rig, 'r')).toMatchObject({ state: 'done', delivery: { state: 'delivered' } });
    expect(rig.log.text).toContain('rollout "r": The rollout store cannot be written: the disk is full');
    expectOneCompletionEach(rig);
  });
});

describe('an agent that cannot say its tools', () => {
  it('is asked no longer than the rollout may take; the same id may try again', async () => {
    const rig = await startRig({ providers: [UndecidedAgent], osmosis: { rollouts: { deadlineMs: 300 } } });
    started.push(rig);
    for (let tries = 0; tries < 2; tries++) {
      const answer = await init(rig, 'r');
      expect(answer.status).toBe(504);
      expect(answer.body.detail).toMatch(/getTools of UndecidedAgent.*deadline of 300 ms \(timeout/);
      await expectIdle(rig);
    }
  });

  it('holds up no shutdown', async () => {
    const rig = await startRig({ providers: [UndecidedAgent], osmosis: { rollouts: { shutdownGraceMs: 50 } } });
    const answer = init(rig, 'r');
    await until(async () => (await activeRollouts(rig)) === 1, 'it is asked');
    await rig.close();
    expect((await answer).status).toBe(503);
  });
});

describe('cancelling a rollout that does not run yet', () => {
  async function cancel(rig: Rig): Promise<void> {
    const answer = await fetch(`${rig.serverUrl}/v1/rollout/r`, { method: 'DELETE' });
    expect(answer.status).toBe(202);
  }

  it('while it waits for a slot: it never runs, and its trainer is told', async () => {
    const rig = await start({ maxConcurrent: 1 });
    let open = (): void => {};
    gate = new Promise((resolve) => (open = resolve));
    await acceptAll(rig, ['running']);
    await until(() => runs.length === 1, 'it has the slot');
    await acceptAll(rig, ['r']);
    await cancel(rig);
    expect(await rig.tracker.waitFor('r')).toMatchObject({
      status: 'ERROR',
      extra_fields: { failure: { class: 'cancelled', phase: 'queue', retryable: false } },
    });
    open();
    expect(await rig.tracker.waitFor('running')).toMatchObject({ status: 'COMPLETED' });
    await expectIdle(rig);
    expect(runs).toEqual(['running']);
  });

  it('while its agent is asked for the tools: the init is refused, and nothing is left of it', async () => {
    const rig = await startRig({ providers: [UndecidedAgent] });
    started.push(rig);
    const answer = init(rig, 'r');
    await until(async () => (await statusOf(rig, 'r')).state === 'queued', 'it is known');
    await cancel(rig);
    expect((await answer).status).toBe(499);
    await expectIdle(rig);
    expect(rig.tracker.responses).toEqual([]);
  });
});

describe('a server that stops', () => {
  it('while a trainer is down: it does not wait for the trainer', async () => {
    const recorder = new RequestRecorder();
    const faults = new FaultPlan().add({ route: 'completed', faults: [503], repeat: true });
    const rig = await startRig({
      providers: [InstantAgent],
      trainer: { recorder, faults },
      osmosis: { rollouts: { shutdownGraceMs: 100 } },
    });
    await acceptAll(rig, ['r']);
    await until(() => recorder.completions.length > 0, 'a first attempt');
    await rig.close();
    expect(rig.log.text).toContain('"r": the completion is not delivered: the server stopped');
    expect(rig.log.text).toContain('it is lost, because no store has it');
  });

  it('while a rollout ends just then, whose outcome takes long to store: nothing hangs', async () => {
    const dataDir = temporaryFolder();
    const store = new FailingStore();
    store.sealed = () => sleep(400);
    const faults = new FaultPlan().add({ route: 'completed', faults: [503], repeat: true });
    const rig = await startRig({
      providers: [InstantAgent],
      trainer: { faults },
      osmosis: { rollouts: { store, dataDir, shutdownGraceMs: 100 } },
    });
    gate = new Promise(() => {});
    await acceptAll(rig, ['r']);
    await rig.close();
    expect(rig.log.text).toContain('it will be after the next start');
  });
});

describe('dead letters in a durable store', () => {
  let compiled: CompiledPackage;
  beforeAll(async () => {
    compiled = await CompiledPackage.create('libs/rollout/store/sqlite');
  });
  afterAll(() => compiled.remove());

  it('outlive the server, and are delivered when asked, once however often', async () => {
    const dataDir = temporaryFolder();
    const thread = compiled.path('dist/libs/rollout/store/sqlite/sqlite.worker.js');
    const rollouts = (): RolloutModuleInput => ({ dataDir, store: new SqliteRolloutStore(dataDir, { thread }) });
    const first = await startRig({ providers: [InstantAgent], osmosis: { rollouts: rollouts() } });
    first.faults.onCompleted(404);
    await acceptAll(first, ['r']);
    await expectIdle(first);
    expect(await statusOf(first, 'r')).toMatchObject({ status: 'COMPLETED', delivery: { state: 'dead', attempts: 1 } });
    await first.app.close();
    undo.push(() => first.trainerApp.close());

    const second = await start(rollouts());
    const redeliver = async (): Promise<number> =>
      (await fetch(`${second.serverUrl}/v1/rollout/r/redeliver`, { method: 'POST' })).status;
    expect(await statusOf(second, 'r')).toMatchObject({ agent: 'instant', delivery: { state: 'dead', attempts: 1 } });
    expect((await Promise.all([redeliver(), redeliver()])).sort()).toEqual([202, 404]);
    await first.tracker.waitFor('r');
    await expectIdle(second);
    expectSameBytes(first);
    expect(first.recorder.completions).toHaveLength(2);
    expect(await statusOf(second, 'r')).toMatchObject({
      agent: 'instant',
      delivery: { state: 'delivered', attempts: 2 },
    });
    expect(await redeliver()).toBe(404);
    // The request that it came from is still answered as before.
    expect((await init(second, 'r', { server_url: first.trainerUrl })).status).toBe(202);
    expect(runs).toEqual(['r']);
  });
});
