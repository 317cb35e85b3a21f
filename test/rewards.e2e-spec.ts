import { Injectable } from '@nestjs/common';
import { Agent, Reward, type ExtraInfo } from '#osmosis';
import type { RolloutCompletion } from '#testing';
import { expectAlive, expectOneCompletionEach } from './support/assertions.js';
import { startRig, type Rig } from './support/rig.js';

interface WireFailure {
  readonly class: string;
  readonly phase: string;
  readonly code: string;
  readonly message: string;
}

interface WireReward {
  readonly value?: number;
  readonly weight: number;
  readonly duration_ms: number;
  readonly failure?: WireFailure;
}

interface ExtraFields {
  readonly failure?: WireFailure;
  readonly rewards?: Readonly<Record<string, WireReward>>;
}

function extraOf({ extra_fields: extra }: RolloutCompletion): ExtraFields {
  return extra;
}

/** What a reward gives, by the name that the request's metadata has for it. */
const GIVES: Readonly<Record<string, () => unknown>> = {
  NaN: () => 0 / 0,
  Infinity: () => 1 / 0,
  undefined: () => undefined,
  null: () => null,
  zero: () => 0,
  bigint: () => 1n,
  boolean: () => true,
  text: () => '0.7',
  list: () => [1],
  'number object': () => new Number(1),
  object: () => ({ score: 1 }),
  'large number': () => 3.5,
  'negative number': () => -2,
  'a little more than 1': () => 1.0000000000000002,
  throw: () => {
    throw new Error('cannot score this');
  },
  'throw undefined': () => {
    throw undefined;
  },
  'reject late': () => new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 50)),
  'never settle': () => new Promise(() => {}),
};

const truths: unknown[] = [];

@Agent({ name: 'scored', default: true })
class ScoredAgent {
  @Reward()
  score(_solution: string, groundTruth: string, extraInfo: ExtraInfo): number {
    truths.push(groundTruth);
    return GIVES[String(extraInfo['gives'])]!() as number;
  }
}

/** Rewards: what is a score, what is none, and what is said of it (cases RW-*). */
describe('rewards', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({
      providers: [ScoredAgent],
      osmosis: { rewards: { timeoutMs: 2_000 } },
      trainer: { script: ['4'] },
    });
  });
  afterAll(() => rig.close());
  beforeEach(() => {
    truths.length = 0;
    rig.tracker.clear();
    rig.recorder.clear();
    rig.log.lines.length = 0;
  });
  afterEach(async () => {
    await expectAlive(rig);
    expectOneCompletionEach(rig);
  });

  const run = (gives: string): Promise<RolloutCompletion> => rig.run({ metadata: { ground_truth: '4', gives } });

  /** No reward, a reason, and everything else as if nothing had happened. */
  function expectUnscored(result: RolloutCompletion, failure: Partial<WireFailure>): void {
    expect(result).toMatchObject({ status: 'COMPLETED', finish_reason: 'stop', metrics: { num_llm_calls: 1 } });
    expect(result.final_messages).toHaveLength(2);
    expect(result).not.toHaveProperty('reward');
    const { failure: whole, rewards } = extraOf(result);
    expect(whole).toMatchObject(failure);
    expect(rewards?.['score']).not.toHaveProperty('value');
    expect(rewards?.['score']?.failure).toEqual(whole);
    // A-JSON: nothing that is no number went over the wire in its place.
    expect(rig.recorder.completions.at(-1)?.rawBody).not.toMatch(/"(reward|value)":/);
  }

  it.each(['NaN', 'Infinity'])('RW-01: %s is a failure that names the reward, never a number', async (gives) => {
    expectUnscored(await run(gives), {
      class: 'reward',
      phase: 'reward',
      message: expect.stringMatching(new RegExp(`ScoredAgent\\.score.*${gives}`)) as never,
    });
    expect(rig.log.text).toMatch(/warn .*Reward ScoredAgent\.score gave no score/);
  });

  it.each(['undefined', 'null'])('RW-04: %s is no score, and can be told from 0', async (gives) => {
    expectUnscored(await run(gives), { class: 'reward' });
    const zero = await run('zero');
    expect(zero.reward).toBe(0);
    expect(rig.recorder.completions.at(-1)?.rawBody).toContain('"reward":0,');
    expect(extraOf(zero).failure).toBeUndefined();
  });

  it.each(['bigint', 'boolean', 'text', 'list', 'number object', 'object'])(
    'RW-06: %s is no number, and is told by a named error',
    async (gives) => {
      const result = await run(gives);
      expectUnscored(result, { class: 'reward', code: 'REWARD_NOT_A_NUMBER' });
      expect(rig.recorder.completions.at(-1)?.rawBody).not.toContain('serialize a BigInt');
    },
  );

  it.each(['throw', 'throw undefined', 'reject late'])('a reward that does %s leaves no score', async (gives) => {
    expectUnscored(await run(gives), { class: 'reward', code: 'REWARD_FAILED' });
  });

  it.each([
    ['large number', 3.5],
    ['negative number', -2],
    ['a little more than 1', 1.0000000000000002],
  ])('RW-08: a %s goes as it is, neither clamped nor rescaled', async (gives, reward) => {
    expect((await run(gives)).reward).toBe(reward);
  });

  it('RW-10: a reward that never settles ends at its limit; the run is not blamed with 0', async () => {
    const result = await run('never settle');
    expectUnscored(result, {
      class: 'deadline',
      phase: 'reward',
      code: 'REWARD_TIMEOUT',
      message: expect.stringMatching(/timeout of 2000 ms \(rewards\.timeoutMs\)/) as never,
    });
    expect(result.metrics?.total_latency_ms).toBeGreaterThan(0);
  });

  describe('RW-07: the ground truth', () => {
    it.each([
      ['no metadata', undefined],
      ['no ground_truth', { gives: 'zero' }],
      ['a ground_truth that is null', { gives: 'zero', ground_truth: null }],
    ])('%s: a reward that compares with it is not asked, and no "undefined" is compared', async (_, metadata) => {
      const result = await rig.run({ metadata });
      expect(result).toMatchObject({ status: 'COMPLETED' });
      expect(result).not.toHaveProperty('reward');
      expect(truths).toEqual([]);
    });

    it.each<[unknown, string]>([
      [42, '42'],
      [0, '0'],
      [1.5, '1.5'],
      [false, 'false'],
      ['', ''],
      ['null', 'null'],
      [[1, 'a'], '[1,"a"]'],
      [{ a: 1 }, '{"a":1}'],
    ])('%j reaches the reward as the text %j', async (groundTruth, text) => {
      const result = await rig.run({ metadata: { gives: 'zero', ground_truth: groundTruth } });
      expect(result.reward).toBe(0);
      expect(truths).toEqual([text]);
    });
  });
});

@Injectable()
class QuarterService {
  async value(): Promise<number> {
    return 0.25;
  }
}

/** Another decorator puts its own function in the method's place. */
function wrapped(_prototype: object, _name: string, descriptor: PropertyDescriptor): void {
  const inner = descriptor.value as (...args: unknown[]) => unknown;
  descriptor.value = function (this: unknown, ...args: unknown[]): unknown {
    return inner.apply(this, args);
  };
}

function bound(_prototype: object, _name: string, descriptor: PropertyDescriptor): void {
  const inner = descriptor.value as (...args: unknown[]) => unknown;
  descriptor.value = inner.bind({ secretly: 0.25 });
}

@Injectable()
class Rewards {
  constructor(private readonly quarters: QuarterService) {}

  @Reward({ agents: ['async'] })
  async isAsync(_solution: string, _truth: string): Promise<number> {
    return 0.25;
  }

  @Reward({ agents: ['arrow'] })
  givesPromiseOfArrow(_solution: string, _truth: string): Promise<number> {
    const later = (): Promise<number> => new Promise((resolve) => setTimeout(() => resolve(0.25), 10));
    return later();
  }

  @Reward({ agents: ['thenable'] })
  givesThenable(_solution: string, _truth: string): PromiseLike<number> {
    return { then: (resolve: (value: number) => unknown) => resolve(0.25) } as PromiseLike<number>;
  }

  @Reward({ agents: ['wrapped'] })
  @wrapped
  ofInjectedProvider(_solution: string, _truth: string): Promise<number> {
    return this.quarters.value();
  }

  @Reward({ agents: ['bound'] })
  @bound
  isBound(_solution: string, _truth: string): Promise<number> {
    return Promise.resolve((this as unknown as { secretly: number }).secretly);
  }
}

const FORMS = ['async', 'arrow', 'thenable', 'wrapped', 'bound'] as const;
const agents = FORMS.map((name) => {
  @Agent({ name })
  class FormAgent {}
  return FormAgent;
});

describe('RW-03: what a reward gives is awaited, whatever the function looks like', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ providers: [...agents, Rewards, QuarterService], trainer: { script: () => '4' } });
  });
  afterAll(() => rig.close());

  it.each(FORMS)('%s', async (agent) => {
    const result = await rig.run({ agent, metadata: { ground_truth: '4' } });
    expect(result.reward).toBe(0.25);
  });
});

@Agent({ name: 'bounded' })
class BoundedAgent {
  @Reward({ range: [0, 1] })
  score(_solution: string, _truth: string, extraInfo: ExtraInfo): number {
    return extraInfo['gives'] as number;
  }
}

describe('RW-08: a reward with a declared range', () => {
  let rig: Rig;
  beforeAll(async () => {
    rig = await startRig({ providers: [BoundedAgent], trainer: { script: () => '4' } });
  });
  afterAll(() => rig.close());

  it.each([0, 0.5, 1])('%d lies in it', async (gives) => {
    expect((await rig.run({ metadata: { ground_truth: '4', gives } })).reward).toBe(gives);
  });

  it.each([-2, 1.0000000000000002, 3.5])('%d lies beyond it: an error, no clamping', async (gives) => {
    const result = await rig.run({ metadata: { ground_truth: '4', gives } });
    expect(result).not.toHaveProperty('reward');
    expect(extraOf(result).failure).toMatchObject({ class: 'reward', code: 'REWARD_OUT_OF_RANGE' });
  });
});
