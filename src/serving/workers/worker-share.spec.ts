import type { OsmosisModuleOptions } from '#osmosis';
import { shareOf } from './worker-share.js';

describe('shareOf', () => {
  const parts = (options: OsmosisModuleOptions, count: number): OsmosisModuleOptions[] =>
    Array.from({ length: count }, (_, index) => shareOf(options, { number: index + 1, count }));

  it('divides the limits of a server, so that the parts are the whole', () => {
    const three = parts({ rollouts: { maxConcurrent: 10, maxQueued: 2 }, transport: { maxConnections: 7 } }, 3);
    expect(three.map(({ rollouts }) => rollouts?.maxConcurrent)).toEqual([4, 3, 3]);
    expect(three.map(({ rollouts }) => rollouts?.maxQueued)).toEqual([1, 1, 0]);
    expect(three.map(({ rollouts }) => rollouts?.delivery?.perTrainer)).toEqual([22, 21, 21]);
    expect(three.map(({ transport }) => transport?.maxConnections)).toEqual([3, 2, 2]);
    expect(three.map(({ transport }) => transport?.maxIdleConnections)).toEqual([undefined, undefined, undefined]);
  });

  it('leaves each worker one thread, one connection and one delivery; no threads stay none', () => {
    const rollouts = { delivery: { perTrainer: 1, horizonMs: 5 } };
    const [, second] = parts({ rollouts, isolation: { threads: 1 }, transport: { maxConnections: 1 } }, 2);
    expect(second).toMatchObject({ rollouts, isolation: { threads: 1 }, transport: { maxConnections: 1 } });
    const [first] = parts({ isolation: { threads: 0 } }, 2);
    expect(first?.isolation?.threads).toBe(0);
  });

  it('leaves the rest as it is', () => {
    const options: OsmosisModuleOptions = { rollouts: { deadlineMs: 7 }, tools: { timeoutMs: 3 }, defaultAgent: 'x' };
    expect(shareOf(options, { number: 2, count: 2 })).toMatchObject(options);
  });

  it('refuses to give a worker nothing to run', () => {
    const rollouts = { maxConcurrent: 2 };
    expect(() => shareOf({ rollouts }, { number: 1, count: 3 })).toThrow(
      /2 rollout\(s\) at once cannot be shared by 3 workers/,
    );
  });
});
