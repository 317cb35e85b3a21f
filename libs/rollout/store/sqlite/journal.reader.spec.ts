import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'libsql';
import type { AcceptedRow } from '../rollout.store.js';
import { SqliteJournal } from './journal.js';
import { JournalReader } from './journal.reader.js';

function accepted(rolloutId: string): AcceptedRow {
  return {
    rolloutId,
    idempotencyKey: null,
    fingerprint: '',
    agent: 'calculator',
    dialect: 'osmosis-v0.2',
    request: `{"rolloutId":"${rolloutId}"}`,
    apiKey: null,
    tools: '[]',
    acceptedAt: 1_000,
  };
}

describe('JournalReader', () => {
  let directory: string;
  let file: string;
  let journal: SqliteJournal;
  let reader: JournalReader | undefined;

  beforeEach(() => {
    // Every character here means something in the address of a file.
    directory = join(mkdtempSync(join(tmpdir(), 'reader-')), 'a %20?b#c');
    mkdirSync(directory);
    file = join(directory, 'rollouts.db');
    journal = new SqliteJournal(file);
  });
  afterEach(() => {
    reader?.close();
    reader = undefined;
    journal.close();
    rmSync(directory, { recursive: true });
  });

  it('sees what a journal in use has written, and goes on seeing it', () => {
    journal.write([['accepted', accepted('r')]]);
    reader = new JournalReader(directory);
    expect(reader.get('r')).toMatchObject({ state: 'queued', acceptedAt: 1_000, completion: null });
    journal.write([
      ['started', 'r', 2_000],
      ['conversed', 'r', 0, '[1]'],
      ['conversed', 'r', 1, '[2]'],
    ]);
    expect(reader.get('r')).toMatchObject({ state: 'running' });
    expect(reader.conversation('r')).toEqual([
      { from: 0, messages: '[1]' },
      { from: 1, messages: '[2]' },
    ]);
    journal.write([
      ['sealed', { rolloutId: 'r', sealedAt: 3, status: 'ERROR', summary: '{}', url: 'http://t', body: '{"b":1}' }],
      ['attemptFailed', 'r', { number: 1, at: 4_000, error: 'refused' }],
      ['ended', 'r', 'dead', 5_000],
    ]);
    expect(reader.get('r')).toEqual(journal.get('r'));
    expect(reader.list({ status: 'dead', limit: 10 })).toEqual(journal.list({ limit: 10 }));
    expect(reader.request('r')).toBe('{"rolloutId":"r"}');
    expect(reader.get('none')).toBeUndefined();
    expect(reader.request('none')).toBeUndefined();
  });

  it('holds up no writer, not even in the middle of a commit', () => {
    reader = new JournalReader(directory);
    const writer = new Database(file);
    writer.exec('BEGIN IMMEDIATE');
    writer.exec("INSERT INTO toolsets VALUES ('h', '[]')");
    expect(reader.list({ limit: 10 })).toEqual([]);
    writer.exec('COMMIT');
    writer.close();
  });

  it('changes not a byte of the database', () => {
    journal.write([['accepted', accepted('r')]]);
    journal.close();
    const before = readFileSync(file);
    const own = new JournalReader(directory);
    expect(own.list({ limit: 10 })).toHaveLength(1);
    own.close();
    expect(readFileSync(file).equals(before)).toBe(true);
    journal = new SqliteJournal(file);
  });

  it('makes no database where there is none', () => {
    const other = mkdtempSync(join(tmpdir(), 'empty-'));
    expect(() => new JournalReader(other)).toThrow(
      expect.objectContaining({
        code: 'CONFIG_INVALID',
        message: expect.stringMatching(/^There is no .*rollouts\.db/),
      }),
    );
    expect(readdirSync(other)).toEqual([]);
    rmSync(other, { recursive: true });
  });

  it('refuses what it cannot read, and says why', () => {
    const other = mkdtempSync(join(tmpdir(), 'other-'));
    const otherFile = join(other, 'rollouts.db');
    writeFileSync(otherFile, 'x'.repeat(5_000));
    expect(() => new JournalReader(other)).toThrow(/cannot be read as a database of rollouts: file is not a database/);
    writeFileSync(otherFile, '');
    expect(() => new JournalReader(other)).toThrow(/an older version of nestjs-osmosis, or by none yet \(layout 0/);
    const db = new Database(otherFile);
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(() => new JournalReader(other)).toThrow(/newer version of nestjs-osmosis \(layout 99/);
    rmSync(other, { recursive: true });
  });
});
