import { runPool } from './work.pool.js';

async function* numbers(count: number, taken: number[] = []): AsyncGenerator<number> {
  for (let number = 0; number < count; number++) {
    taken.push(number);
    yield number;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe('the work pool', () => {
  it('works on every item once, and takes no more items than it has room for', async () => {
    const taken: number[] = [];
    const done: number[] = [];
    let most = 0;
    const result = await runPool(numbers(50, taken), 4, async (item) => {
      most = Math.max(most, taken.length - done.length);
      await pause(1);
      done.push(item);
      return 'continue';
    });
    expect(result).toEqual({ stoppedEarly: false });
    expect([...done].sort((a, b) => a - b)).toEqual([...Array(50).keys()]);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('is no barrier: a slow item holds up no other worker', async () => {
    const done: number[] = [];
    let release = (): void => {};
    const others = new Promise<void>((resolve) => (release = resolve));
    await runPool(numbers(10), 2, async (item) => {
      // A barrier would never hand out the item that releases this one.
      await (item === 0 ? others : pause(1));
      if (done.push(item) === 9) release();
      return 'continue';
    });
    expect(done).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 0]);
  });

  it.each([
    [10, 4, { stoppedEarly: true }],
    [5, 4, { stoppedEarly: false }],
  ])('of %d items, stopped at %d: %j', async (count, at, expected) => {
    const done: number[] = [];
    const result = await runPool(numbers(count), 1, async (item) => {
      done.push(item);
      return item === at ? 'stop' : 'continue';
    });
    expect(result).toEqual(expected);
    expect(done).toEqual([0, 1, 2, 3, 4]);
  });

  it('ends what is under way before it throws, and closes the source', async () => {
    let [finished, closed] = [0, false];
    async function* source(): AsyncGenerator<number> {
      try {
        yield* numbers(100);
      } finally {
        closed = true;
      }
    }
    let arrive = (): void => {};
    const allUnderWay = new Promise<void>((resolve) => (arrive = resolve));
    const run = runPool(source(), 3, async (item) => {
      if (item === 2) arrive();
      await allUnderWay;
      if (item === 0) throw new Error('item 0');
      await pause(20);
      finished++;
      return 'continue';
    });
    await expect(run).rejects.toThrow('item 0');
    expect([finished, closed]).toEqual([2, true]);
  });

  it('throws what the source throws', async () => {
    async function* broken(): AsyncGenerator<number> {
      yield 1;
      throw new Error('row 1 is broken');
    }
    await expect(runPool(broken(), 2, async () => 'continue')).rejects.toThrow('row 1 is broken');
  });
});
