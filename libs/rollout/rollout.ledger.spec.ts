import type { RolloutRequest } from '#domain';
import { RolloutLedger } from './rollout.ledger.js';
import { RolloutRecord } from './rollout.record.js';

function record(rolloutId: string, idempotencyKey: string | null = null): RolloutRecord {
  return new RolloutRecord(rolloutId, idempotencyKey, `print of ${rolloutId}`, 'agent', 'osmosis-v0.2');
}

function request(rolloutId: string, idempotencyKey: string | null = null): RolloutRequest {
  return { rolloutId, idempotencyKey } as Partial<RolloutRequest> as RolloutRequest;
}

describe('RolloutLedger', () => {
  let ledger: RolloutLedger;
  beforeEach(() => (ledger = new RolloutLedger(1_000, 3)));

  function finished(rolloutId: string, endedAt: number, key: string | null = null): RolloutRecord {
    const added = ledger.add(record(rolloutId, key));
    added.endedAt = endedAt;
    ledger.finish(added);
    return added;
  }

  const ids = (): string[] => [...ledger.all()].map(({ rolloutId }) => rolloutId);

  it('finds what a request repeats: by its key, else by its id', () => {
    const a = ledger.add(record('a', 'key'));
    const b = ledger.add(record('b'));
    expect(ledger.find(request('x', 'key'))).toBe(a);
    expect(ledger.find(request('b', 'another key'))).toBe(b);
    expect(ledger.find(request('b', 'key'))).toBe(a);
    expect(ledger.find(request('x'))).toBeUndefined();
  });

  it('ids and keys are two name spaces', () => {
    ledger.add(record('a', 'k'));
    expect(ledger.find(request('k'))).toBeUndefined();
    expect(ledger.find(request('x', 'a'))).toBeUndefined();
  });

  it('what was refused after all leaves no trace', () => {
    const refused = ledger.add(record('a', 'k'));
    ledger.discard(refused);
    expect(ledger.find(request('a', 'k'))).toBeUndefined();
    expect(ledger).toMatchObject({ activeCount: 0, finishedCount: 0 });
  });

  it('a finished rollout is remembered for its time, one in work for ever', () => {
    ledger.add(record('in work'));
    finished('old', 1_000, 'k');
    finished('young', 1_500);
    ledger.prune(2_000);
    expect(ids()).toEqual(['in work', 'old', 'young']);
    ledger.prune(2_001);
    expect(ids()).toEqual(['in work', 'young']);
    expect(ledger.find(request('x', 'k'))).toBeUndefined();
    ledger.prune(1_000_000);
    expect(ids()).toEqual(['in work']);
    expect(ledger).toMatchObject({ activeCount: 1, finishedCount: 0 });
  });

  it('spec 13.18: beyond its size the oldest finished one is forgotten', () => {
    ledger.add(record('in work'));
    for (const id of ['a', 'b', 'c', 'd']) finished(id, 1_000);
    expect(ids()).toEqual(['in work', 'b', 'c', 'd']);
    expect(ledger.finishedCount).toBe(3);
  });

  it('a finished one that is in work again does not expire, and its time begins anew', () => {
    const again = finished('a', 1_000);
    ledger.reopen(again);
    expect(ledger).toMatchObject({ activeCount: 1, finishedCount: 0 });
    ledger.prune(1_000_000);
    expect(ledger.get('a')).toBe(again);
    again.endedAt = 2_000_000;
    ledger.finish(again);
    ledger.prune(2_000_500);
    expect(ledger.get('a')).toBe(again);
  });

  it('a record takes the place of a finished one of the same id', () => {
    finished('a', 1_000, 'k');
    const second = ledger.add(record('a', 'k'));
    expect(ledger).toMatchObject({ activeCount: 1, finishedCount: 0 });
    expect(ledger.get('a')).toBe(second);
    expect(ledger.find(request('x', 'k'))).toBe(second);
  });
});
