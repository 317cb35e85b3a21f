import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import type { AcceptedRow, AnnouncedRow, SealedRow } from '../rollout.store.js';
import type { Write } from './journal.language.js';
import { SqliteJournal } from './journal.js';
import { MIGRATIONS } from './schema.js';

/** The last layout in which a rollout was one row. */
const WIDE = 3;

const accepted = (rolloutId: string): ['accepted', AcceptedRow] => {
  const [idempotencyKey, fingerprint, apiKey] = [`key of ${rolloutId}`, `print of ${rolloutId}`, `closed ${rolloutId}`];
  const rest = { agent: 'calculator', dialect: 'osmosis-v0.3', tools: `["${rolloutId}"]`, acceptedAt: 1_000 };
  return ['accepted', { rolloutId, idempotencyKey, fingerprint, apiKey, request: `{"of":"${rolloutId}"}`, ...rest }];
};
const announced = (rolloutId: string, outcome: string | null): ['announced', AnnouncedRow] => {
  const message = { url: 'http://t/ran', body: `{"ran":"${rolloutId}"}` };
  return ['announced', { rolloutId, announcedAt: 2_500, ...message, outcome }];
};
const sealed = (rolloutId: string): ['sealed', SealedRow] => {
  const message = { url: 'http://t/done', body: `{"done":"${rolloutId}"}`, summary: `{"sum":"${rolloutId}"}` };
  return ['sealed', { rolloutId, sealedAt: 3_000, status: 'COMPLETED', ...message }];
};

/** Rollouts in every state that a server can leave them in. */
const WRITES: readonly Write[] = [
  accepted('queued'),
  accepted('running'),
  ['started', 'running', 2_000],
  ['conversed', 'running', 0, '[1]'],
  accepted('announced'),
  announced('announced', '{"draft":1}'),
  accepted('both'),
  announced('both', null),
  sealed('both'),
  accepted('sealed'),
  sealed('sealed'),
  ['attemptFailed', 'sealed', { number: 1, at: 4_000, error: 'refused' }],
  accepted('untold'),
  ['sealed', { ...sealed('untold')[1], url: null, body: null }],
  ['ended', 'untold', 'none', 5_000],
  accepted('told'),
  sealed('told'),
  ['ended', 'told', 'delivered', 6_000],
  accepted('dead'),
  announced('dead', null),
  ['announcementEnded', 'dead', 'delivered'],
  sealed('dead'),
  ['attemptFailed', 'dead', { number: 1, at: 4_000, error: 'gone' }],
  ['ended', 'dead', 'dead', 7_000],
];
const IDS = WRITES.flatMap(([kind, row]) => (kind === 'accepted' ? row.rolloutId : []));

describe('a file of the layout in which a rollout was one row', () => {
  let directory: string;
  let former: SqliteJournal;
  let fresh: SqliteJournal;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'schema-'));
    const file = join(directory, 'former.db');
    const db = new Database(file);
    MIGRATIONS.slice(0, WIDE).forEach((step) => db.exec(step));
    db.exec(`PRAGMA user_version = ${WIDE}`);
    // Numbers of rollouts that are forgotten are missing.
    writeWide(db, [accepted('forgotten'), ...WRITES]);
    db.exec("DELETE FROM rollouts WHERE rollout_id = 'forgotten'");
    db.close();
    former = new SqliteJournal(file);
    fresh = new SqliteJournal(join(directory, 'fresh.db'));
    fresh.write(WRITES);
  });
  afterEach(() => {
    former.close();
    fresh.close();
    rmSync(directory, { recursive: true });
  });

  it('is brought up to date with all that it says', () => {
    expect(IDS).toHaveLength(8);
    expect(former.unfinished()).toEqual(fresh.unfinished());
    expect(former.remembered(0)).toEqual(fresh.remembered(0));
    expect(former.conversation('running')).toEqual([{ from: 0, messages: '[1]' }]);
    for (const id of IDS) expect(former.get(id)).toEqual(fresh.get(id));
    expect(former.list({ limit: 100 })).toEqual(fresh.list({ limit: 100 }));
  });

  it('goes on: dead letters are revived, what was begun ends, and what is new gets in nobody’s way', () => {
    for (const journal of [former, fresh]) {
      journal.write([sealed('announced'), accepted('new'), sealed('new'), ['ended', 'new', 'delivered', 8_000]]);
      expect(journal.revive('dead')).toMatchObject({ sealed: { body: '{"done":"dead"}' }, attempts: 1 });
    }
    expect(former.unfinished()).toEqual(fresh.unfinished());
    expect(former.get('new')).toEqual(fresh.get('new'));
    expect(former.get('told')).toEqual(fresh.get('told'));
  });
});

/** As a server of that layout wrote them. */
function writeWide(db: Database.Database, writes: readonly Write[]): void {
  const run = (sql: string, ...values: readonly unknown[]): unknown => db.prepare<unknown[]>(sql).run(...values);
  const update = (set: string, ...values: readonly unknown[]): unknown =>
    run(`UPDATE rollouts SET ${set} WHERE rollout_id = ?`, ...values);
  for (const [kind, row, ...more] of writes) {
    if (kind === 'accepted') {
      run('INSERT INTO toolsets VALUES (?, ?)', `hash of ${row.tools}`, row.tools);
      run(
        'INSERT INTO rollouts (rollout_id, idempotency_key, fingerprint, agent, dialect, request, api_key, toolset, ' +
          'accepted_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
        ...[row.rolloutId, row.idempotencyKey, row.fingerprint, row.agent, row.dialect, row.request, row.apiKey],
        ...[`hash of ${row.tools}`, row.acceptedAt],
      );
    } else if (kind === 'announced') {
      const set = 'announced_at = ?, announced_url = ?, announced_body = ?, announced_outcome = ?';
      const values = [row.announcedAt, row.url, row.body, row.outcome];
      update(`${set}, announced_delivery = 'pending'`, ...values, row.rolloutId);
    } else if (kind === 'sealed') {
      const set = "sealed_at = ?, status = ?, delivery = 'pending', summary = ?, url = ?, body = ?";
      const values = [row.sealedAt, row.status, row.summary, row.url, row.body];
      update(`${set}, announced_outcome = NULL`, ...values, row.rolloutId);
    } else if (kind === 'started') update('started_at = ?', ...more, row);
    else if (kind === 'conversed') run('INSERT INTO conversations VALUES (?, ?, ?)', row, ...more);
    else if (kind === 'announcementEnded') update('announced_delivery = ?', ...more, row);
    else if (kind === 'ended') update('delivery = ?, ended_at = ?', ...more, row);
    else {
      const [{ number, at, error }] = more as unknown as [{ number: number; at: number; error: string }];
      run('INSERT INTO attempts VALUES (?, ?, ?, ?)', row, number, at, error);
    }
  }
}
