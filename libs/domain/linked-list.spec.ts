import { LinkedList } from './linked-list.js';

describe('LinkedList', () => {
  const listOf = (...items: number[]) => {
    const list = new LinkedList<number>();
    return { list, places: items.map((item) => list.add(item)) };
  };

  it('keeps the order of coming', () => {
    const { list } = listOf(1, 2, 3);
    expect([...list]).toEqual([1, 2, 3]);
    expect([list.first, list.size]).toEqual([1, 3]);
  });

  it.each([
    [0, [2, 3]],
    [1, [1, 3]],
    [2, [1, 2]],
  ])('lets number %d leave, once', (index, rest) => {
    const { list, places } = listOf(1, 2, 3);
    expect([places[index]!.leave(), places[index]!.leave()]).toEqual([true, false]);
    expect([...list]).toEqual(rest);
    expect(list.size).toBe(2);
    list.add(4);
    expect([...list]).toEqual([...rest, 4]);
  });

  it('gives out who has come first', () => {
    const { list, places } = listOf(1, 2);
    expect([list.shift(), list.shift(), list.shift()]).toEqual([1, 2, undefined]);
    expect(list.size).toBe(0);
    expect(places[0]!.leave()).toBe(false);
    expect([...list]).toEqual([]);
  });

  it('can be looked through while those looked at leave', () => {
    const { list, places } = listOf(0, 1, 2);
    const seen: number[] = [];
    for (const item of list) {
      seen.push(item);
      places[item]!.leave();
    }
    expect(seen).toEqual([0, 1, 2]);
    expect(list.first).toBeUndefined();
  });

  it('leaves nothing that points from who has left to who is there', () => {
    const { places } = listOf(1, 2, 3);
    places[1]!.leave();
    expect(places[1]).toMatchObject({ before: null, after: null, list: null });
  });
});
