import { EventEmitter, once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Agent, Reward, RolloutContext, Tool, type RolloutResult } from '#osmosis';
import type { RolloutModuleInput } from '#rollout';
import { delayed, toolCall, type MockScript, type RolloutCompletion } from '#testing';
import type { HttpTransportOptions } from '#trainers';
import { expectIdle, expectOneCompletionEach, expectPaired } from './support/assertions.js';
import { FakeClock } from './support/fake.clock.js';
import { init, MESSAGES, statusOf, until } from './support/init.js';
import { RawTrainer, type RawChat } from './support/raw.trainer.js';
import { startRig, type Rig } from './support/rig.js';

const FOREVER_MS = 600_000;
const never = (): Promise<never> => new Promise(() => {});
/** Rollouts whose tool never ends. */
const stuck: string[] = [];
const toldToStop: string[] = [];
/** Says `open` when what is held may go on. */
const opened = new EventEmitter();

/** Never ends where its rollout's metadata says. */
@Agent({ name: 'stuck', default: true })
class StuckAgent {
  @Tool({ description: 'Never end' })
  hang(ctx: RolloutContext): Promise<never> {
    ctx.signal.addEventListener('abort', () => toldToStop.push(ctx.request.rolloutId));
    stuck.push(ctx.request.rolloutId);
    return never();
  }

  @Tool({ description: 'End soon' })
  async pause(): Promise<void> {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }

  @Reward()
  slow(_solution: string, groundTruth: string): Promise<number> | number {
    return groundTruth === 'hang' ? never() : 1;
  }
}

@Agent({ name: 'looping' })
class LoopingAgent {
  async run(ctx: RolloutContext): Promise<RolloutResult> {
    const { ms, isHeld } = ctx.request.metadata as { ms?: number; isHeld?: boolean };
    if (isHeld) await once(opened, 'open');
    else await (ms === undefined ? never() : new Promise((resolve) => setTimeout(resolve, ms)));
    return ctx.complete(MESSAGES);
  }
}

let script: MockScript = [];
let rig: Rig;

/** A rollout that runs, and goes on doing so until it is let go. */
async function occupySlot(): Promise<{ readonly result: Promise<RolloutCompletion> }> {
  const result = rig.run({ agent: 'looping', metadata: { isHeld: true } });
  await until(() => opened.listenerCount('open') > 0, 'the slot is taken');
  return { result };
}

async function start(osmosis: Parameters<typeof startRig>[0]['osmosis']): Promise<void> {
  rig = await startRig({
    providers: [StuckAgent, LoopingAgent],
    osmosis,
    trainer: { script: (request, turn) => (typeof script === 'function' ? script(request, turn) : script[turn]!) },
  });
}

beforeEach(() => {
  script = ['done'];
  stuck.length = 0;
  toldToStop.length = 0;
});
afterEach(async () => {
  await expectIdle(rig);
  expectOneCompletionEach(rig);
  await rig.close();
});

interface WireFailure {
  readonly class: string;
  readonly phase: string;
  readonly code: string;
}

function failureOf({ extra_fields: extra }: RolloutCompletion): WireFailure | undefined {
  return (extra as { failure?: WireFailure } | undefined)?.failure;
}

describe('the deadline of a rollout', () => {
  let clock: FakeClock;
  beforeEach(() => {
    clock = new FakeClock();
    const rollouts: RolloutModuleInput = { maxConcurrent: 1, clock };
    return start({ rollouts });
  });

  const quick = { deadline_seconds: 1 };

  /** Lets the time of a rollout run out once it has come to a phase. */
  async function runOut(
    rolloutId: string,
    phase: string,
    task: Parameters<Rig['run']>[0] = {},
    isReached = (): boolean => true,
  ): Promise<RolloutCompletion> {
    const result = rig.run({ metadata: quick, ...task, rolloutId });
    const isThere = async (): Promise<boolean> => isReached() && (await statusOf(rig, rolloutId)).phase === phase;
    await until(isThere, `${rolloutId} comes to phase ${phase}`);
    clock.advance(1_000);
    return result;
  }

  const isAsked = (): boolean => rig.recorder.chats.length > 0;
  const isStuck = (): boolean => stuck.length > 0;
  const rewarded = { metadata: { ...quick, ground_truth: 'hang' } };

  it('is the request’s own, and names the phase in which the time ran out: the agent', async () => {
    const result = await runOut('in-agent', 'agent', { agent: 'looping' });
    expect(result).toMatchObject({ status: 'ERROR', finish_reason: 'error' });
    expect(failureOf(result)).toMatchObject({ class: 'deadline', phase: 'agent', code: 'DEADLINE', retryable: true });
    expect(result.error_message).toMatch(
      /deadline of 1000 ms \(timeout; rollouts.deadlineMs\).*phase agent; spent: agent/,
    );
  });

  it('the model', async () => {
    script = [delayed(FOREVER_MS, 'late')];
    const result = await runOut('in-model', 'model', {}, isAsked);
    expect(failureOf(result)).toMatchObject({ class: 'deadline', phase: 'model' });
    expect(result.error_message).toMatch(/phase model; spent: .*model \d+ ms/);
    expect(rig.chatRequests()).toHaveLength(1);
  });

  it('the tools, which are told to stop; the conversation so far is kept', async () => {
    script = [[toolCall('hang', {}, 'call_1')], 'never'];
    const result = await runOut('in-tools', 'tools', {}, isStuck);
    expect(failureOf(result)).toMatchObject({ class: 'deadline', phase: 'tools' });
    expect(result.final_messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(toldToStop).toEqual(['in-tools']);
  });

  it('the rewards: the finished run stands, only its reward is missing', async () => {
    const result = await runOut('in-reward', 'reward', rewarded);
    expect(result).toMatchObject({ status: 'COMPLETED', finish_reason: 'stop', metrics: { num_llm_calls: 1 } });
    expect(result.reward).toBeUndefined();
    expect(failureOf(result)).toMatchObject({ class: 'deadline', phase: 'reward' });
    expectPaired(result.final_messages);
  });

  it('the queue', async () => {
    const running = await occupySlot();
    const result = await runOut('in-queue', 'queue', { agent: 'looping' });
    expect(failureOf(result)).toMatchObject({ class: 'deadline', phase: 'queue' });
    expect(result.error_message).toContain('all of it in the queue');
    expect(result.metrics).toMatchObject({ total_latency_ms: 0 });
    opened.emit('open');
    expect(await running.result).toMatchObject({ status: 'COMPLETED' });
  });

  it('A-SLOT: whatever never settles gives its slot back', async () => {
    script = (request) => {
      if (request.rollout_id === 'model') return delayed(FOREVER_MS, 'late');
      return request.rollout_id === 'tools' ? [toolCall('hang')] : 'done';
    };
    const results = [
      await runOut('agent', 'agent', { agent: 'looping' }),
      await runOut('model', 'model', {}, isAsked),
      await runOut('tools', 'tools', {}, isStuck),
      await runOut('reward', 'reward', rewarded),
    ];
    expect(results.map((result) => failureOf(result)?.class)).toEqual(Array(4).fill('deadline'));
    expect(await rig.run({ metadata: { ground_truth: '1' } })).toMatchObject({ status: 'COMPLETED', reward: 1 });
  });
});

describe('the deadline of the server', () => {
  beforeEach(() => start({ rollouts: { deadlineMs: 300 } }));

  it('holds when a request asks for something that is no number of seconds', async () => {
    const odd = ['5', 0, -1, true, null, [5], {}];
    const runs = odd.map((seconds) => rig.run({ agent: 'looping', metadata: { deadline_seconds: seconds } }));
    for (const run of runs) expect((await run).error_message).toContain('deadline of 300 ms');
  });

  it('a request may ask for more', async () => {
    const result = await rig.run({ agent: 'looping', metadata: { deadline_seconds: 60, ms: 500 } });
    expect(result).toMatchObject({ status: 'COMPLETED' });
  });
});

describe('limits of a phase', () => {
  it('rollouts.maxQueueMs ends what waits too long for a slot, and nothing that runs', async () => {
    await start({ rollouts: { maxConcurrent: 1, maxQueueMs: 1_000 } });
    const running = await occupySlot();
    const result = await rig.run({ agent: 'looping', metadata: { ms: 1 } });
    expect(failureOf(result)).toMatchObject({ class: 'deadline', phase: 'queue' });
    expect(result.error_message).toMatch(/longer than 1000 ms for a slot \(rollouts.maxQueueMs\)/);
    opened.emit('open');
    expect(await running.result).toMatchObject({ status: 'COMPLETED' });
  });

  describe('NT-17: one chat call', () => {
    let trainer: RawTrainer;
    afterEach(() => trainer.close());

    const HEADERS = { 'content-type': 'application/json' };
    const trickle = (response: ServerResponse): void => {
      response.writeHead(200, HEADERS);
      const timer = setInterval(() => response.write(' '), 20);
      response.on('close', () => clearInterval(timer));
    };

    /** Lets a limit run out each time that the model was asked. */
    async function runOn(
      chat: RawChat,
      { clock, limitMs, times }: { clock: FakeClock; limitMs: number; times: number },
      metadata: object = {},
    ): Promise<RolloutCompletion> {
      trainer = await RawTrainer.start(chat);
      expect((await init(rig, 'raw', { server_url: trainer.url, metadata })).status).toBe(202);
      for (let asked = 1; asked <= times; asked++) {
        await until(() => trainer.chats === asked, `the model is asked ${asked} time(s)`);
        clock.advance(limitMs - 100);
        // What trickles in meanwhile does not put the limit off.
        await new Promise((resolve) => setTimeout(resolve, 100));
        clock.advance(100);
      }
      return trainer.tracker.waitFor('raw');
    }

    it.each<[string, RawChat]>([
      ['an answer that trickles in and never ends', trickle],
      ['headers and then silence', (response) => response.writeHead(200, HEADERS).flushHeaders()],
      ['a socket that is taken and never answered', () => {}],
    ])('%s ends at the limit, which the failure names', async (_, chat) => {
      const clock = new FakeClock();
      const transport: HttpTransportOptions = { clock };
      await start({ transport, trainer: { timeoutMs: 1_000, maxRetries: 1 } });
      const result = await runOn(chat, { clock, limitMs: 1_000, times: 2 });
      expect(failureOf(result)).toMatchObject({ class: 'transport', phase: 'model', code: 'TIMEOUT' });
      expect(result.error_message).toMatch(/timeout.*1 s \(limit OSMOSIS_ROLLOUT_CLIENT_TIMEOUT_SECONDS/);
      expect(trainer.chats).toBe(2);
    });

    it('an answer that trickles for longer than the rollout may take ends with it', async () => {
      const clock = new FakeClock();
      const rollouts: RolloutModuleInput = { clock };
      await start({ rollouts });
      const result = await runOn(trickle, { clock, limitMs: 1_500, times: 1 }, { deadline_seconds: 1.5 });
      expect(failureOf(result)).toMatchObject({ class: 'deadline', phase: 'model' });
      expect(trainer.chats).toBe(1);
    });
  });

  it('limits above 2^31 ms are kept, and do not fire at once', async () => {
    const long = 2 ** 31 + 1;
    await start({
      tools: { timeoutMs: long },
      rewards: { timeoutMs: long },
      trainer: { timeoutMs: long, deliveryTimeoutMs: long },
      rollouts: { deadlineMs: long, maxQueueMs: long, recordTtlMs: long, delivery: { horizonMs: long } },
    });
    const metadata = { ground_truth: '1' };
    script = [delayed(50, [toolCall('pause')]), 'done'];
    expect(await rig.run({ metadata })).toMatchObject({
      status: 'COMPLETED',
      reward: 1,
      final_messages: [{}, {}, { role: 'tool', content: 'null' }, {}],
    });
    for (const seconds of [long / 1000, Number.MAX_VALUE]) {
      const result = await rig.run({ metadata: { ...metadata, deadline_seconds: seconds } });
      expect(result).toMatchObject({ status: 'COMPLETED', reward: 1 });
    }
  });
});
