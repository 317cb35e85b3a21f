import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import { CompiledPackage } from '../../../../test/support/compiled.package.js';
import type { AcceptedRow, SealedRow } from '../rollout.store.js';
import { SqliteRolloutStore } from './sqlite.store.js';

const FOLDER = 'libs/rollout/store/sqlite';

function accepted(rolloutId: string): AcceptedRow {
  return {
    rolloutId,
    idempotencyKey: null,
    fingerprint: 'print',
    agent: 'calculator',
    dialect: 'osmosis-v0.2',
    request: '{}',
    apiKey: null,
    tools: '[]',
    acceptedAt: 1_000,
  };
}

function sealed(rolloutId: string): SealedRow {
  return { rolloutId, sealedAt: 3_000, status: 'COMPLETED', summary: '{}', url: 'http://t/done', body: '{}' };
}

/** A real thread, compiled from the sources as they stand. */
describe('SqliteRolloutStore', () => {
  let compiled: CompiledPackage;
  let parent: string;
  let directory: string;
  let store: SqliteRolloutStore;

  beforeAll(async () => {
    compiled = await CompiledPackage.create(FOLDER);
  });
  afterAll(() => compiled.remove());
  beforeEach(async () => {
    parent = mkdtempSync(join(tmpdir(), 'store-'));
    directory = join(parent, 'data');
    store = await opened();
  });
  afterEach(async () => {
    await store.close();
    rmSync(parent, { recursive: true });
  });

  async function opened(folder = directory): Promise<SqliteRolloutStore> {
    const made = new SqliteRolloutStore(folder, { thread: compiled.path('dist', FOLDER, 'sqlite.worker.js') });
    await made.open();
    return made;
  }

  /** Looks at the file from outside, or spoils it. */
  function behindItsBack<Result>(work: (db: Database.Database) => Result): Result {
    const db = new Database(join(directory, 'rollouts.db'));
    try {
      // A connection that was closed is gone when its thread is.
      db.pragma('busy_timeout = 5000');
      return work(db);
    } finally {
      db.close();
    }
  }

  const count = (): number =>
    behindItsBack((db) => (db.prepare('SELECT COUNT(*) AS n FROM rollouts').all() as { n: number }[])[0]!.n);

  /** Until the table is back no write succeeds. */
  function breakTable(): void {
    behindItsBack((db) => db.exec('ALTER TABLE rollouts RENAME TO hidden'));
  }

  function mendTable(): void {
    behindItsBack((db) => db.exec('ALTER TABLE hidden RENAME TO rollouts'));
  }

  it('what it promises to have written is in the file', async () => {
    await store.accepted(accepted('r'));
    expect(count()).toBe(1);
    await Promise.all(Array.from({ length: 500 }, (_, index) => store.accepted(accepted(`r${index}`))));
    expect(count()).toBe(501);
  });

  it('writes in the order of the calls, whether somebody waits for them or not', async () => {
    void store.accepted(accepted('r'));
    store.started('r', 2_000);
    store.conversed('r', 0, '[{"role":"user"}]');
    expect(await store.get('r')).toBeUndefined(); // asked before the batch was on its way
    await store.accepted(accepted('other'));
    expect(await store.get('r')).toMatchObject({ state: 'running', startedAt: 2_000 });
    expect(await store.conversation('r')).toEqual([{ from: 0, messages: '[{"role":"user"}]' }]);
    await store.sealed(sealed('r'));
    expect(await store.unfinished()).toMatchObject([
      { rolloutId: 'r', sealed: { body: '{}' } },
      { rolloutId: 'other', sealed: null },
    ]);
  });

  it('is readable by its owner only', () => {
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, 'rollouts.db')).mode & 0o777).toBe(0o600);
  });

  it('is complete when it closes, and opens again with all of it', async () => {
    void store.accepted(accepted('r'));
    void store.sealed(sealed('r'));
    store.ended('r', 'delivered', 4_000);
    await store.close();
    store = await opened();
    expect(await store.unfinished()).toEqual([]);
    expect(await store.remembered(0)).toMatchObject([{ rolloutId: 'r', endedAt: 4_000 }]);
  });

  it('a dead letter can be revived at once, though its end is not written yet', async () => {
    await store.accepted(accepted('r'));
    await store.sealed(sealed('r'));
    store.ended('r', 'dead', 4_000);
    expect(await store.revive('r')).toMatchObject({ rolloutId: 'r', sealed: { body: '{}' } });
    expect(await store.get('r')).toMatchObject({ state: 'delivering', delivery: 'pending' });
  });

  it('says why it cannot write, refuses, and goes on as soon as it can', async () => {
    breakTable();
    const refused = store.accepted(accepted('r'));
    await expect(refused).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', httpStatus: 503 });
    await expect(refused).rejects.toThrow(/cannot be written: .*no such table/);
    expect(store.fault?.message).toContain('no such table');
    mendTable();
    await store.accepted(accepted('r'));
    expect(store.fault).toBeNull();
  });

  it('that a rollout has ended is not forgotten while it cannot write: it would be told another end', async () => {
    await Promise.all(['a', 'b'].map((id) => store.accepted(accepted(id))));
    breakTable();
    await expect(store.sealed(sealed('a'))).rejects.toThrow();
    store.ended('a', 'delivered', 4_000);
    await expect(store.accepted(accepted('c'))).rejects.toThrow();
    mendTable();
    await store.accepted(accepted('d'));
    expect((await store.unfinished()).map(({ rolloutId }) => rolloutId)).toEqual(['b', 'd']);
  });

  it('nor when it closes before it could', async () => {
    await store.accepted(accepted('a'));
    breakTable();
    store.ended('a', 'delivered', 4_000);
    await expect(store.accepted(accepted('b'))).rejects.toThrow();
    mendTable();
    await store.close();
    store = await opened();
    expect(await store.unfinished()).toEqual([]);
  });

  it('lets go of its folder when it closes, also after a fault', async () => {
    breakTable();
    await expect(store.accepted(accepted('r'))).rejects.toThrow();
    await store.close();
    mendTable();
    // The lock of a store that was not closed would be waited for in vain.
    store = await opened();
    await store.accepted(accepted('r'));
  });

  it('after its end nothing is written, and that is said', async () => {
    await store.close();
    await expect(store.accepted(accepted('r'))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await expect(store.close()).resolves.toBeUndefined();
  });

  it('a file that is no database of ours stops the start, by name', async () => {
    const folder = join(parent, 'foreign');
    mkdirSync(folder);
    writeFileSync(join(folder, 'rollouts.db'), 'this is no database, but long enough to be one '.repeat(100));
    await expect(opened(folder)).rejects.toThrow(
      `The rollout store ${join(folder, 'rollouts.db')} cannot be opened: file is not a database`,
    );
  });
});
