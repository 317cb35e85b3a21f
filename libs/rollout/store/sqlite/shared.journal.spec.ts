import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import type { AcceptedRow, SealedRow } from '../rollout.store.js';
import { SqliteJournal } from './journal.js';

const HOUR_MS = 3_600_000;

function accepted(rolloutId: string, more: Partial<AcceptedRow> = {}): AcceptedRow {
  const times = { acceptedAt: 10 * HOUR_MS };
  const rest = { idempotencyKey: null, agent: 'calculator', dialect: 'osmosis-v0.2', request: '{}', apiKey: null };
  return { rolloutId, fingerprint: `print of ${rolloutId}`, tools: `["${rolloutId}"]`, ...rest, ...times, ...more };
}

function sealed(rolloutId: string): SealedRow {
  return { rolloutId, sealedAt: 3_000, status: 'COMPLETED', summary: '{}', url: 'http://t/done', body: '{}' };
}

describe('a file that several workers write', () => {
  let directory: string;
  let file: string;
  let journals: SqliteJournal[];
  let one: SqliteJournal;
  let two: SqliteJournal;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'journal-'));
    file = join(directory, 'rollouts.db');
    journals = [];
    one = open('one');
    two = open('two');
  });
  afterEach(() => {
    for (const journal of journals) journal.close();
    rmSync(directory, { recursive: true });
  });

  function open(member: string): SqliteJournal {
    const journal = new SqliteJournal(file, { member, ttlMs: HOUR_MS });
    journals.push(journal);
    return journal;
  }

  const idsOf = (rows: readonly { readonly rolloutId: string }[]): string[] => rows.map(({ rolloutId }) => rolloutId);

  it('has one rollout for one id: who comes second is told of the first, and the rest of its batch is written', () => {
    expect(one.write([['accepted', accepted('r')]])).toBeUndefined();
    const earlier = two.write([
      ['accepted', accepted('r', { fingerprint: 'another', tools: '[]' })],
      ['accepted', accepted('s')],
    ]);
    expect([...earlier!.keys()]).toEqual(['r']);
    expect(earlier!.get('r')).toMatchObject({ rolloutId: 'r', fingerprint: 'print of r', tools: '["r"]' });
    expect(idsOf(one.list({ limit: 9 }))).toEqual(['r', 's']);
  });

  it('has one rollout for one key, which goes before the id', () => {
    one.write([
      ['accepted', accepted('by key', { idempotencyKey: 'k' })],
      ['accepted', accepted('by id')],
    ]);
    const earlier = two.write([['accepted', accepted('by id', { idempotencyKey: 'k' })]]);
    expect(earlier!.get('by id')).toMatchObject({ rolloutId: 'by key', idempotencyKey: 'k' });
    expect(two.earlier('by id', null, 10 * HOUR_MS)?.rolloutId).toBe('by id');
    expect(two.earlier('k', null, 10 * HOUR_MS)).toBeUndefined();
  });

  it('remembers a finished rollout for its time, and then takes the id anew', () => {
    one.write([
      ['accepted', accepted('r')],
      ['sealed', sealed('r')],
      ['ended', 'r', 'dead', 10 * HOUR_MS],
    ]);
    const later = (ms: number): AcceptedRow => accepted('r', { acceptedAt: 10 * HOUR_MS + ms, fingerprint: 'new' });
    expect(two.write([['accepted', later(HOUR_MS - 1)]])?.get('r')?.fingerprint).toBe('print of r');
    expect(two.write([['accepted', later(HOUR_MS)]])).toBeUndefined();
    expect(two.get('r')).toMatchObject({ state: 'queued', completion: null });
  });

  it('gives what an ended worker has left to one, and leaves the others theirs', () => {
    one.write([
      ['accepted', accepted('a')],
      ['accepted', accepted('b')],
      ['accepted', accepted('done')],
      ['sealed', sealed('done')],
      ['ended', 'done', 'delivered', 1],
    ]);
    two.write([['accepted', accepted('c')]]);
    const three = open('three');
    expect(idsOf(two.unfinished(['one', 'nobody']))).toEqual(['a', 'b']);
    expect(three.unfinished(['one'])).toEqual([]);
    // The heir may end, too.
    expect(idsOf(three.unfinished(['one', 'two']))).toEqual(['a', 'b', 'c']);
  });

  it('drops the conversation of a rollout that it has taken up when that is sealed', () => {
    two.write([
      ['accepted', accepted('own')],
      ['sealed', sealed('own')],
    ]);
    one.write([
      ['accepted', accepted('r')],
      ['conversed', 'r', 0, '[1]'],
    ]);
    expect(idsOf(two.unfinished(['one']))).toEqual(['r']);
    expect(two.conversation('r')).toHaveLength(1);
    two.write([['sealed', sealed('r')]]);
    expect(two.conversation('r')).toEqual([]);
  });

  it('the first worker of a server takes up everything, whoever had it', () => {
    for (const journal of journals.splice(0)) journal.close();
    const alone = new SqliteJournal(file);
    alone.write([['accepted', accepted('of a server alone')]]);
    alone.close();
    open('two').write([['accepted', accepted('of a worker')]]);
    const first = open('of another server');
    expect(idsOf(first.unfinished())).toEqual(['of a server alone', 'of a worker']);
    expect(idsOf(open('next').unfinished(['of another server']))).toHaveLength(2);
  });

  it('a dead letter comes to life with one of them', () => {
    one.write([
      ['accepted', accepted('r')],
      ['sealed', sealed('r')],
      ['ended', 'r', 'dead', 9],
    ]);
    expect(two.revive('r')).toMatchObject({ rolloutId: 'r' });
    expect(one.revive('r')).toBeUndefined();
    expect(one.unfinished(['two'])).toHaveLength(1);
  });

  it('counts for all of them', () => {
    one.write([
      ['accepted', accepted('a')],
      ['accepted', accepted('old')],
      ['ended', 'old', 'delivered', 5],
    ]);
    two.write([
      ['accepted', accepted('b')],
      ['ended', 'b', 'delivered', 10],
    ]);
    expect(one.counts(5)).toEqual({ active: 1, completed: 1 });
    expect(two.counts(0)).toEqual({ active: 1, completed: 2 });
  });

  it('looks rollouts up by indexes; a server alone does without that of the keys', () => {
    const look = <Result>(work: (db: Database.Database) => Result): Result => {
      const db = new Database(file);
      const result = work(db);
      db.close();
      return result;
    };
    const indexes = (): unknown[] =>
      look((db) => db.prepare("SELECT name FROM sqlite_master WHERE name = 'rollouts_key'").all());
    const plan = look((db) =>
      db
        .prepare('EXPLAIN QUERY PLAN SELECT * FROM rollouts r WHERE r.idempotency_key = ? OR r.rollout_id = ?')
        .all('k', 'r'),
    ) as { readonly detail: string }[];
    expect(plan.map(({ detail }) => detail).join('; ')).not.toMatch(/SCAN/);
    expect(indexes()).toHaveLength(1);
    for (const journal of journals.splice(0)) journal.close();
    new SqliteJournal(file).close();
    expect(indexes()).toEqual([]);
  });
});
