import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { Logger } from '@nestjs/common';
import * as fc from 'fast-check';
import { FakeClock } from '../../test/support/fake.clock.js';
import { RecordingLogger } from '../../test/support/recording.logger.js';
import { rolloutOptions } from './rollout.options.js';
import { traceFileName, TraceWriter } from './trace.writer.js';

describe('spec 13.23: traceFileName', () => {
  it.each(['r1', 'job-7_a.b', 'A'.repeat(121)])('leaves %s as it is', (id) => {
    expect(traceFileName(id)).toBe(`${id}.jsonl`);
  });

  it.each([
    '../../etc/x',
    '/etc/passwd',
    '..',
    '.',
    '.hidden',
    'a/b',
    'a\\b',
    'C:\\x',
    'nul\u0000byte',
    'line\nbreak',
    '😀'.repeat(256),
    'A'.repeat(256),
    '   ',
  ])('%j becomes a plain name of bounded length', (id) => {
    const name = traceFileName(id);
    expect(name).toMatch(/^[A-Za-z0-9_-]{0,40}~[0-9a-f]{24}\.jsonl$/);
  });

  it('never leaves the folder, and never gives two ids one file', () => {
    const id = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.stringMatching(/^[./\\a~-]{1,12}$/));
    fc.assert(
      fc.property(id, id, (one, other) => {
        const name = traceFileName(one);
        expect(basename(name)).toBe(name);
        expect(resolve('/traces', name)).toBe(`/traces/${name}`);
        expect(Buffer.byteLength(name)).toBeLessThan(255);
        expect(traceFileName(other) === name).toBe(one === other);
      }),
    );
  });
});

describe('TraceWriter', () => {
  let folder: string;
  const log = new RecordingLogger();
  const clock = new FakeClock(Date.UTC(2026, 10, 29, 12));

  beforeAll(() => Logger.overrideLogger(log));
  afterAll(() => Logger.overrideLogger(false));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'traces-'));
    log.lines.length = 0;
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function writer(traceDir: string | undefined = join(folder, 'deep', 'traces')): TraceWriter {
    return new TraceWriter(rolloutOptions({ traceDir, clock }));
  }

  function lines(rolloutId: string): Record<string, unknown>[] {
    const text = readFileSync(join(folder, 'deep', 'traces', traceFileName(rolloutId)), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  it('appends one JSON line an event, a file a rollout, in order', async () => {
    const traces = writer();
    traces.write('a', 'first', { n: 1 });
    traces.write('b', 'other', {});
    traces.write('a', 'second', { n: 2 });
    await traces.flush();
    traces.write('a', 'third', { n: 3 });
    await traces.onApplicationShutdown();
    const own = { rollout_id: 'a', timestamp: '2026-11-29T12:00:00.000Z' };
    expect(lines('a')).toEqual([
      { event: 'first', n: 1, ...own },
      { event: 'second', n: 2, ...own },
      { event: 'third', n: 3, ...own },
    ]);
    expect(lines('b')).toHaveLength(1);
  });

  it('spec 13.29: data cannot pretend to be another event or rollout', async () => {
    const traces = writer();
    traces.write('a', 'real', { event: 'forged', rollout_id: 'b', timestamp: 'never', n: NaN });
    await traces.flush();
    expect(lines('a')).toEqual([{ event: 'real', rollout_id: 'a', timestamp: '2026-11-29T12:00:00.000Z', n: null }]);
  });

  it('spec 13.29: data without a JSON form is named, and nothing is thrown', async () => {
    const traces = writer();
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    traces.write('a', 'circle', circle);
    traces.write('a', 'bigint', { n: 1n });
    await traces.flush();
    expect(lines('a')).toEqual([
      expect.objectContaining({ event: 'circle', unserialisable: expect.stringContaining('circular') as string }),
      expect.objectContaining({ event: 'bigint', unserialisable: expect.stringContaining('BigInt') as string }),
    ]);
  });

  it('writes nothing when it is off', async () => {
    const traces = new TraceWriter(rolloutOptions({ clock }));
    expect(traces.enabled).toBe(false);
    traces.write('a', 'event', {});
    await traces.flush();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a folder that cannot be made is one warning, and harms nobody', async () => {
    writeFileSync(join(folder, 'file'), '');
    const traces = writer(join(folder, 'file', 'traces'));
    for (let round = 0; round < 3; round++) {
      traces.write('a', 'event', {});
      await traces.flush();
    }
    expect(log.lines).toEqual([expect.stringMatching(/^warn Traces cannot be written to .*file\/traces: ENOTDIR/)]);
  });
});
