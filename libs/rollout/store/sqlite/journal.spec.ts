import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import type { AcceptedRow, SealedRow } from '../rollout.store.js';
import type { Write } from './journal.language.js';
import { SqliteJournal } from './journal.js';

function accepted(rolloutId: string, more: Partial<AcceptedRow> = {}): AcceptedRow {
  return {
    rolloutId,
    idempotencyKey: null,
    fingerprint: `print of ${rolloutId}`,
    agent: 'calculator',
    dialect: 'osmosis-v0.2',
    request: '{}',
    apiKey: null,
    tools: '[]',
    acceptedAt: 1_000,
    ...more,
  };
}

function sealed(rolloutId: string, more: Partial<SealedRow> = {}): SealedRow {
  return {
    rolloutId,
    sealedAt: 3_000,
    status: 'COMPLETED',
    summary: '{}',
    url: 'http://t/done',
    body: '{"a":1}',
    ...more,
  };
}

describe('SqliteJournal', () => {
  let directory: string;
  let file: string;
  let journal: SqliteJournal;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'journal-'));
    file = join(directory, 'rollouts.db');
    journal = new SqliteJournal(file);
  });
  afterEach(() => {
    journal.close();
    rmSync(directory, { recursive: true });
  });

  it('gives back what a former process has left, each in its state', () => {
    journal.write([
      ['accepted', accepted('queued', { idempotencyKey: 'k', apiKey: 'closed', tools: '[{"type":"function"}]' })],
      ['accepted', accepted('running')],
      ['started', 'running', 2_000],
      ['accepted', accepted('sealed')],
      ['started', 'sealed', 2_000],
      ['sealed', sealed('sealed')],
      ['attemptFailed', 'sealed', { number: 1, at: 4_000, error: 'refused' }],
      ['attemptFailed', 'sealed', { number: 2, at: 5_000, error: 'refused again' }],
      ['accepted', accepted('done')],
      ['sealed', sealed('done')],
      ['ended', 'done', 'delivered', 6_000],
    ]);
    journal.close();
    journal = new SqliteJournal(file);

    const rows = journal.unfinished();
    expect(rows.map(({ rolloutId, startedAt, attempts }) => [rolloutId, startedAt, attempts])).toEqual([
      ['queued', null, 0],
      ['running', 2_000, 0],
      ['sealed', 2_000, 2],
    ]);
    expect(rows[0]).toEqual({
      ...accepted('queued', { idempotencyKey: 'k', apiKey: 'closed', tools: '[{"type":"function"}]' }),
      startedAt: null,
      announced: null,
      sealed: null,
      attempts: 0,
    });
    expect(rows[2]?.sealed).toEqual({ ...sealed('sealed'), delivery: 'pending' });
    expect(journal.remembered(5_000)).toEqual([
      { rolloutId: 'done', idempotencyKey: null, fingerprint: 'print of done', tools: '[]', endedAt: 6_000 },
    ]);
    expect(journal.remembered(6_000)).toEqual([]);
  });

  it('an outcome is sealed once: a second one changes nothing', () => {
    journal.write([
      ['accepted', accepted('r')],
      ['sealed', sealed('r')],
      ['sealed', sealed('r', { status: 'ERROR', body: 'another' })],
    ]);
    expect(journal.get('r')).toMatchObject({ status: 'COMPLETED', completion: '{"a":1}', state: 'delivering' });
  });

  it('an announcement is kept until it is told, with the outcome it stands for until that is sealed', () => {
    const announced = { rolloutId: 'r', announcedAt: 2_500, url: 'http://trainer/ran', body: '{}', outcome: '{"a":1}' };
    journal.write([
      ['accepted', accepted('r')],
      ['started', 'r', 2_000],
      ['conversed', 'r', 0, '[1]'],
      ['announced', announced],
      ['announced', { ...announced, body: 'another' }],
    ]);
    expect(journal.unfinished()[0]).toMatchObject({ announced: { ...announced, delivery: 'pending' }, sealed: null });
    expect(journal.conversation('r')).toEqual([]);
    journal.write([
      ['announcementEnded', 'r', 'delivered'],
      ['sealed', sealed('r')],
    ]);
    expect(journal.unfinished()[0]).toMatchObject({
      announced: { ...announced, outcome: null, delivery: 'delivered' },
      sealed: { delivery: 'pending' },
    });
    expect(journal.get('r')).toMatchObject({ announcement: 'delivered', delivery: 'pending' });
  });

  it.each([
    ['delivered', 'dead', ['delivered', 'pending']],
    ['dead', 'delivered', ['pending', 'delivered']],
    ['dead', 'dead', ['pending', 'pending']],
  ] as const)(
    'of an announcement that is %s and a completion that is %s only the dead is revived',
    (first, last, now) => {
      journal.write([
        ['accepted', accepted('r')],
        ['announced', { rolloutId: 'r', announcedAt: 1, url: 'u', body: 'b', outcome: null }],
        ['sealed', sealed('r')],
        ['announcementEnded', 'r', first],
        ['ended', 'r', last, 5_000],
      ]);
      expect(journal.list({ status: 'dead', limit: 9 })).toHaveLength(1);
      const row = journal.revive('r');
      expect([row?.announced?.delivery, row?.sealed?.delivery]).toEqual(now);
      expect(journal.revive('r')).toBeUndefined();
    },
  );

  it('a rollout that tells nobody is sealed without a message', () => {
    journal.write([
      ['accepted', accepted('r')],
      ['sealed', sealed('r', { url: null, body: null })],
      ['ended', 'r', 'none', 5_000],
    ]);
    expect(journal.get('r')).toMatchObject({ state: 'done', delivery: 'none', completion: null });
    expect(journal.unfinished()).toEqual([]);
  });

  it('keeps the conversation of a running rollout in parts, and drops it when the outcome has it', () => {
    journal.write([
      ['accepted', accepted('r')],
      ['conversed', 'r', 0, '[1]'],
      ['conversed', 'r', 1, '[2,3]'],
      ['conversed', 'r', 1, '[4]'],
    ]);
    expect(journal.conversation('r')).toEqual([
      { from: 0, messages: '[1]' },
      { from: 1, messages: '[4]' },
    ]);
    journal.write([['sealed', sealed('r')]]);
    expect(journal.conversation('r')).toEqual([]);
  });

  it('a conversation that is stored anew takes the place of all its parts', () => {
    journal.write([
      ['accepted', accepted('r')],
      ['conversed', 'r', 0, '[1,2,3]'],
      ['conversed', 'r', 3, '[4,5]'],
      ['conversed', 'r', 0, '[1,2,3,4,5,6]'],
    ]);
    expect(journal.conversation('r')).toEqual([{ from: 0, messages: '[1,2,3,4,5,6]' }]);
  });

  it('an id that was forgotten and comes again starts afresh', () => {
    journal.write([
      ['accepted', accepted('r')],
      ['started', 'r', 2_000],
      ['conversed', 'r', 0, '[1]'],
      ['sealed', sealed('r')],
      ['attemptFailed', 'r', { number: 1, at: 4_000, error: 'refused' }],
      ['ended', 'r', 'dead', 5_000],
      ['accepted', accepted('r', { fingerprint: 'another' })],
    ]);
    expect(journal.unfinished()).toEqual([
      { ...accepted('r', { fingerprint: 'another' }), startedAt: null, announced: null, sealed: null, attempts: 0 },
    ]);
    expect(journal.get('r')).toMatchObject({ state: 'queued', attempts: [], completion: null });
  });

  it('a batch is written whole or not at all', () => {
    const bad = ['sealed', { ...sealed('r'), body: Symbol('no text') as never }] as const;
    expect(() => journal.write([['accepted', accepted('r')], bad])).toThrow();
    expect(journal.get('r')).toBeUndefined();
    journal.write([['accepted', accepted('r')]]);
    expect(journal.get('r')).toMatchObject({ state: 'queued' });
  });

  it('what a batch that failed has said of places is forgotten: nobody else’s row is changed', () => {
    const bad = ['sealed', { ...sealed('r'), body: Symbol('no text') as never }] as const;
    expect(() => journal.write([['accepted', accepted('r')], bad])).toThrow();
    journal.write([['accepted', accepted('s')]]);
    journal.write([
      ['started', 'r', 2_000],
      ['ended', 'r', 'delivered', 3_000],
    ]);
    expect(journal.get('s')).toMatchObject({ state: 'queued', startedAt: null, endedAt: null });
  });

  it('lists by state, agent and place, without the bodies', () => {
    for (const id of ['a', 'b', 'c', 'd'])
      journal.write([['accepted', accepted(id, { agent: id === 'c' ? 'x' : 'y' })]]);
    journal.write([
      ['started', 'b', 2_000],
      ['sealed', sealed('c', { status: 'ERROR' })],
      ['sealed', sealed('d')],
      ['ended', 'd', 'dead', 9_000],
    ]);
    const ids = (filter: object): string[] => journal.list({ limit: 10, ...filter }).map((row) => row.rolloutId);
    expect(ids({})).toEqual(['a', 'b', 'c', 'd']);
    expect(ids({ status: 'queued' })).toEqual(['a']);
    expect(ids({ status: 'running' })).toEqual(['b']);
    expect(ids({ status: 'delivering' })).toEqual(['c']);
    expect(ids({ status: 'dead' })).toEqual(['d']);
    expect(ids({ status: 'ERROR' })).toEqual(['c']);
    expect(ids({ status: 'nonsense' })).toEqual([]);
    expect(ids({ agent: 'y' })).toEqual(['a', 'b', 'd']);
    expect(ids({ after: 'b' })).toEqual(['c', 'd']);
    expect(ids({ after: 'b', limit: 1 })).toEqual(['c']);
    expect(journal.list({ limit: 10 }).every((row) => row.completion === null)).toBe(true);
  });

  it('a dead letter comes to life once', () => {
    journal.write([
      ['accepted', accepted('r')],
      ['sealed', sealed('r')],
      ['ended', 'r', 'dead', 9_000],
    ]);
    expect(journal.revive('r')).toMatchObject({ rolloutId: 'r', sealed: { body: '{"a":1}' } });
    expect(journal.revive('r')).toBeUndefined();
    expect(journal.unfinished()).toHaveLength(1);
  });

  it('forgets what ended long ago and what is beyond the count, never what is unfinished', () => {
    journal.write([['accepted', accepted('open')]]);
    [1, 2, 3, 4].forEach((at) => {
      journal.write([
        ['accepted', accepted(`e${at}`)],
        ['sealed', sealed(`e${at}`)],
        ['attemptFailed', `e${at}`, { number: 1, at, error: 'x' }],
        ['ended', `e${at}`, 'delivered', at],
      ]);
    });
    const ids = (): string[] => journal.list({ limit: 10 }).map((row) => row.rolloutId);
    journal.prune(2, 100);
    expect(ids()).toEqual(['open', 'e2', 'e3', 'e4']);
    journal.prune(0, 1);
    expect(ids()).toEqual(['open', 'e4']);
  });

  it('of a forgotten rollout nothing is left, whether it is pruned or comes again', () => {
    const whole = (id: string): Write[] => [
      ['accepted', accepted(id)],
      ['announced', { rolloutId: id, announcedAt: 2_500, url: 'u', body: 'b', outcome: '{}' }],
      ['conversed', id, 0, '[1]'],
      ['sealed', sealed(id)],
      ['sealed', sealed(id)],
      ['attemptFailed', id, { number: 1, at: 4_000, error: 'x' }],
      ['ended', id, 'delivered', 5_000],
    ];
    journal.write([...whole('pruned'), ...whole('again'), ['accepted', accepted('again', { acceptedAt: 6_000 })]]);
    journal.prune(5_001, 100);
    const db = new Database(file);
    const counts = ['rollouts', 'messages', 'drafts', 'attempts', 'conversations'].map((table) => {
      const [row] = db.prepare(`SELECT COUNT(*) AS n FROM ${table}`).all() as { readonly n: number }[];
      return [table, row?.n];
    });
    db.close();
    // The request of the one that is there again.
    expect(Object.fromEntries(counts)).toEqual({ rollouts: 1, messages: 1, drafts: 0, attempts: 0, conversations: 0 });
    expect(journal.unfinished()).toMatchObject([{ rolloutId: 'again', request: '{}', acceptedAt: 6_000 }]);
  });

  it('the outcome that an announcement stands for goes when both are sealed and it is tidied up', () => {
    const drafts = (): unknown => {
      const db = new Database(file);
      const rows = db.prepare('SELECT announced_outcome FROM drafts').all();
      db.close();
      return rows;
    };
    for (const rolloutId of ['open', 'sealed']) {
      journal.write([
        ['accepted', accepted(rolloutId)],
        ['announced', { rolloutId, announcedAt: 2_500, url: 'u', body: 'b', outcome: `of ${rolloutId}` }],
      ]);
    }
    journal.write([['sealed', sealed('sealed')]]);
    journal.prune(0, 100);
    expect(drafts()).toEqual([{ announced_outcome: 'of open' }]);
  });

  it('a dead letter outlives its time, but not the count', () => {
    for (const [id, delivery, at] of [
      ['old', 'dead', 1],
      ['told', 'delivered', 2],
      ['young', 'dead', 3],
    ] as const) {
      journal.write([
        ['accepted', accepted(id)],
        ['sealed', sealed(id)],
        ['attemptFailed', id, { number: 1, at, error: 'x' }],
        ['ended', id, delivery, at],
      ]);
    }
    const ids = (): string[] => journal.list({ limit: 10 }).map((row) => row.rolloutId);
    journal.prune(1_000, 100);
    expect(ids()).toEqual(['old', 'young']);
    expect(journal.get('old')?.attempts).toHaveLength(1);
    journal.prune(1_000, 1);
    expect(ids()).toEqual(['young']);
  });

  it('refuses a file that a newer version has written, and leaves it as it is', () => {
    journal.close();
    const db = new Database(file);
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(() => new SqliteJournal(file)).toThrow(/written by a newer version/);
    expect(existsSync(file)).toBe(true);
    rmSync(file);
    journal = new SqliteJournal(file);
  });
});
