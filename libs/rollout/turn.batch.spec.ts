import { FakeClock } from '../../test/support/fake.clock.js';
import { TurnBatch } from './turn.batch.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('TurnBatch', () => {
  const clock = new FakeClock();
  let done: number[];
  let batch: TurnBatch<number>;
  beforeEach(() => {
    done = [];
    batch = new TurnBatch<number>((item) => done.push(item), { most: 3, longestWaitMs: 1_000, clock });
  });

  it('works on all items of a turn at its end, in order', async () => {
    batch.add(1);
    await Promise.resolve();
    batch.add(2);
    expect(done).toEqual([]);
    await turn();
    expect(done).toEqual([1, 2]);
  });

  it('leaves what is added meanwhile to the next turn', async () => {
    const growing = new TurnBatch<number>(
      (item) => {
        done.push(item);
        if (item === 1) growing.add(2);
      },
      { most: 3, longestWaitMs: 1_000, clock },
    );
    growing.add(1);
    await turn();
    expect(done).toEqual([1]);
    await turn();
    expect(done).toEqual([1, 2]);
  });

  it('takes so many in a turn, and the rest in the next ones, in order', async () => {
    for (let item = 1; item <= 7; item++) batch.add(item);
    await turn();
    expect(done).toEqual([1, 2, 3]);
    batch.add(8);
    await turn();
    expect(done).toEqual([1, 2, 3, 4, 5, 6]);
    await turn();
    expect(done).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  });

  it('takes all who have waited too long, as where code blocks the event loop for seconds', async () => {
    for (let item = 1; item <= 5; item++) batch.add(item);
    clock.advance(1_000);
    for (let item = 6; item <= 7; item++) batch.add(item);
    await turn();
    expect(done).toEqual([1, 2, 3, 4, 5]);
    await turn();
    expect(done).toEqual([1, 2, 3, 4, 5, 6, 7]);
  });
});
