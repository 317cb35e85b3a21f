import { OsmosisError } from '#domain';
import { rolloutOptions, type RolloutModuleInput } from './rollout.options.js';
import { MemoryRolloutStore } from './store/index.js';

describe('rolloutOptions', () => {
  it('has defaults for everything', () => {
    expect(rolloutOptions()).toMatchObject({
      maxConcurrent: 1_000,
      maxQueued: 100_000,
      deadlineMs: 600_000,
      maxQueueMs: undefined,
      store: 'memory',
      delivery: { horizonMs: 86_400_000, maxRetries: undefined, perTrainer: 64 },
    });
  });

  it('an option that is undefined counts as left out, also within delivery', () => {
    const delivery = { backoff: undefined, horizonMs: undefined, maxRetries: undefined, perTrainer: undefined };
    expect(rolloutOptions({ maxConcurrent: undefined, delivery })).toEqual(rolloutOptions());
  });

  it('several workers need the store that they share', () => {
    const crew = {} as NonNullable<RolloutModuleInput['crew']>;
    expect(rolloutOptions({ crew, store: 'sqlite' }).crew).toBe(crew);
    expect(() => rolloutOptions({ crew, store: 'memory' })).toThrow(/need the store 'sqlite'.*with 'memory'/);
    expect(() => rolloutOptions({ crew, store: new MemoryRolloutStore() })).toThrow(/the application's own/);
  });

  it.each<[string, RolloutModuleInput]>([
    ['rollouts.maxConcurrent', { maxConcurrent: 0 }],
    ['rollouts.maxConcurrent', { maxConcurrent: 1.5 }],
    ['rollouts.maxQueued', { maxQueued: -1 }],
    ['rollouts.maxQueued', { maxQueued: NaN }],
    ['rollouts.maxQueueMs', { maxQueueMs: 0 }],
    ['rollouts.deadlineMs', { deadlineMs: Infinity }],
    ['rollouts.recordTtlMs', { recordTtlMs: NaN }],
    ['rollouts.maxRecords', { maxRecords: 0.5 }],
    ['rollouts.shutdownGraceMs', { shutdownGraceMs: -1 }],
    ['rollouts.delivery.horizonMs', { delivery: { horizonMs: 0 } }],
    ['rollouts.delivery.perTrainer', { delivery: { perTrainer: 1.5 } }],
    ['rollouts.delivery.maxRetries', { delivery: { maxRetries: -1 } }],
    ['rollouts.delivery.backoff.baseDelayMs', { delivery: { backoff: { baseDelayMs: NaN, maxDelayMs: 1 } } }],
    ['rollouts.delivery.backoff.maxDelayMs', { delivery: { backoff: { baseDelayMs: 1, maxDelayMs: 0 } } }],
    ['rollouts.store', { store: 'redis' as 'memory' }],
  ])('LC-10: names %s when it is %j', (name, input) => {
    const refused = (): unknown => rolloutOptions(input);
    expect(refused).toThrow(OsmosisError);
    expect(refused).toThrow(name);
  });

  it.each<RolloutModuleInput>([{ maxQueued: 0 }, { shutdownGraceMs: 0 }, { delivery: { maxRetries: 0 } }])(
    '%j is legal',
    (input) => {
      expect(() => rolloutOptions(input)).not.toThrow();
    },
  );
});
