import { TurnBatch } from './turn.batch.js';

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('TurnBatch', () => {
  it('works on all items of a turn at its end, in order', async () => {
    const done: number[] = [];
    const batch = new TurnBatch<number>((item) => done.push(item));
    batch.add(1);
    await Promise.resolve();
    batch.add(2);
    expect(done).toEqual([]);
    await turn();
    expect(done).toEqual([1, 2]);
  });

  it('leaves what is added meanwhile to the next turn', async () => {
    const done: number[] = [];
    const batch = new TurnBatch<number>((item) => {
      done.push(item);
      if (item === 1) batch.add(2);
    });
    batch.add(1);
    await turn();
    expect(done).toEqual([1]);
    await turn();
    expect(done).toEqual([1, 2]);
  });
});
