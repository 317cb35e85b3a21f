import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { atifFaults, type AtifDocument } from '#atif';
import type { ChatMessage, RolloutOutcome, RolloutRequest } from '#domain';
import { FakeClock } from '../../../test/support/fake.clock.js';
import { RecordingLogger } from '../../../test/support/recording.logger.js';
import { failedOutcome } from '../outcome.summary.js';
import { rolloutOptions } from '../rollout.options.js';
import { RolloutRecord } from '../rollout.record.js';
import { trajectoryFile, trajectoryFolder } from './trajectory.files.js';
import { TrajectoryWriter } from './trajectory.writer.js';

const REPORT = { samples: { s: { llm_call_metrics: [{ prompt_tokens: 7 }] } } };

describe('TrajectoryWriter', () => {
  let dataDir: string;
  const log = new RecordingLogger();

  beforeAll(() => Logger.overrideLogger(log));
  afterAll(() => Logger.overrideLogger(false));
  beforeEach(() => {
    dataDir = mkdtempSync(join(tmpdir(), 'trajectories-'));
    log.lines.length = 0;
  });
  afterEach(() => rmSync(dataDir, { recursive: true }));

  /** By its clock no disk is too slow. */
  function writer(dir = dataDir): TrajectoryWriter {
    return new TrajectoryWriter(rolloutOptions({ trajectories: true, dataDir: dir, clock: new FakeClock() }));
  }

  function requestOf(rolloutId: string): RolloutRequest {
    return {
      rolloutId,
      agent: 'calculator',
      trainer: { dialect: 'osmosis-v0.2', url: 'http://trainer', apiKey: null },
      messages: [],
      completionParams: {},
      toolServerUrl: null,
      maxTurns: 10,
      maxTokensTotal: 8192,
      metadata: {},
      idempotencyKey: null,
    };
  }

  const CONVERSATION: readonly ChatMessage[] = [
    { role: 'user', content: '1 + 1?' },
    { role: 'assistant', content: '2' },
  ];

  function outcomeOf(rolloutId: string, messages = CONVERSATION): RolloutOutcome {
    const failure = { class: 'agent', phase: 'agent', code: 'X', message: 'm', retryable: false } as const;
    return failedOutcome(rolloutId, failure, messages);
  }

  async function hold(trajectories: TrajectoryWriter, rolloutId: string, messages = CONVERSATION): Promise<void> {
    const request = requestOf(rolloutId);
    await trajectories.hold(RolloutRecord.of(request, ''), request, outcomeOf(rolloutId, messages), 0);
  }

  function read(rolloutId: string): AtifDocument {
    const document: unknown = JSON.parse(readFileSync(trajectoryFile(trajectoryFolder(dataDir), rolloutId), 'utf8'));
    expect(atifFaults(document)).toEqual([]);
    return document as AtifDocument;
  }

  it('writes a held rollout when it is released, for its owner only, and leaves nothing else behind', async () => {
    const trajectories = writer();
    await hold(trajectories, 'r1');
    expect(existsSync(join(dataDir, 'trajectories'))).toBe(false);
    trajectories.release('r1');
    await trajectories.onApplicationShutdown();
    expect(read('r1')).toMatchObject({ session_id: 'r1', steps: [{ message: '1 + 1?' }, { message: '2' }] });
    expect(readdirSync(join(dataDir, 'trajectories/r1'))).toEqual(['trajectory.json']);
    expect(statSync(trajectoryFile(trajectoryFolder(dataDir), 'r1')).mode & 0o777).toBe(0o600);
    expect(log.lines).toEqual([]);
  });

  it('lays a report over what it holds, whether it came before the outcome or after', async () => {
    const trajectories = writer();
    trajectories.report('early', REPORT);
    await hold(trajectories, 'early');
    await hold(trajectories, 'late');
    trajectories.report('late', { samples: { s: { llm_call_metrics: [{ prompt_tokens: 99 }] } } });
    trajectories.report('late', REPORT);
    for (const id of ['early', 'late']) trajectories.release(id);
    await trajectories.onApplicationShutdown();
    for (const id of ['early', 'late']) expect(read(id).steps[1]?.metrics).toEqual({ prompt_tokens: 7 });
  });

  it('lays a report that comes after the file over the file, also when that is being written', async () => {
    const trajectories = writer();
    await hold(trajectories, 'r1');
    trajectories.release('r1');
    trajectories.report('r1', REPORT);
    trajectories.release('r1');
    await trajectories.onApplicationShutdown();
    expect(read('r1').final_metrics).toEqual({ total_prompt_tokens: 7, total_steps: 2 });
    expect(read('r1').steps[1]).toMatchObject({ llm_call_count: 1 });
  });

  it('a report of a rollout without a file, or with a foreign one, changes nothing', async () => {
    const trajectories = writer();
    mkdirSync(join(dataDir, 'trajectories/foreign'), { recursive: true });
    writeFileSync(trajectoryFile(trajectoryFolder(dataDir), 'foreign'), '{"session_id": "other"}');
    for (const id of ['unknown', 'foreign']) {
      trajectories.report(id, REPORT);
      trajectories.release(id);
    }
    await trajectories.onApplicationShutdown();
    expect(existsSync(trajectoryFile(trajectoryFolder(dataDir), 'unknown'))).toBe(false);
    expect(readFileSync(trajectoryFile(trajectoryFolder(dataDir), 'foreign'), 'utf8')).toBe('{"session_id": "other"}');
  });

  it('a report that cannot be attributed is a warning', async () => {
    const trajectories = writer();
    await hold(trajectories, 'r1');
    trajectories.report('r1', { samples: { a: { llm_call_metrics: [] }, b: { llm_call_metrics: [] } } });
    trajectories.release('r1');
    await trajectories.onApplicationShutdown();
    expect(log.lines).toEqual([expect.stringMatching(/^warn rollout "r1": The report has 2 samples/)]);
  });

  it('writes what is still held when the application ends', async () => {
    const trajectories = writer();
    await hold(trajectories, 'r1');
    await trajectories.onApplicationShutdown();
    expect(read('r1').session_id).toBe('r1');
  });

  it('writes nothing of a rollout in which nothing was said', async () => {
    const trajectories = writer();
    await hold(trajectories, 'r1', []);
    await trajectories.onApplicationShutdown();
    expect(readdirSync(dataDir)).toEqual([]);
    expect(log.lines).toEqual([]);
  });

  it.each(['../../up', '/etc/passwd', '..', 'a\\b', 'é'.repeat(256), 'con/nul\u0000'])(
    'stays in its folder for the id %j',
    async (rolloutId) => {
      const trajectories = writer();
      await hold(trajectories, rolloutId);
      await trajectories.onApplicationShutdown();
      expect(readdirSync(dataDir)).toEqual(['trajectories']);
      expect(readdirSync(join(dataDir, 'trajectories'))).toEqual([expect.stringMatching(/^[\w-]{0,40}~[0-9a-f]{24}$/)]);
      expect(read(rolloutId).session_id).toBe(rolloutId);
    },
  );

  it('a place that cannot be written is one warning, and one more after it has worked again', async () => {
    writeFileSync(join(dataDir, 'trajectories'), 'a file');
    const trajectories = writer();
    const writeOne = async (id: string): Promise<void> => {
      await hold(trajectories, id);
      trajectories.release(id);
      await trajectories.onApplicationShutdown();
    };
    await writeOne('r1');
    await writeOne('r2');
    const warnings = (): string[] => log.lines.filter((line) => line.startsWith('warn'));
    expect(warnings()).toEqual([expect.stringMatching(/^warn rollout "r1": its trajectory is not written: ENOTDIR/)]);
    rmSync(join(dataDir, 'trajectories'));
    await writeOne('r3');
    chmodSync(join(dataDir, 'trajectories/r3'), 0o700);
    rmSync(join(dataDir, 'trajectories'), { recursive: true });
    writeFileSync(join(dataDir, 'trajectories'), 'a file');
    await writeOne('r4');
    expect(warnings()).toHaveLength(2);
  });

  it('a file that is in the way keeps what it holds, and no draft stays', async () => {
    mkdirSync(trajectoryFile(trajectoryFolder(dataDir), 'r1'), { recursive: true });
    const trajectories = writer();
    await hold(trajectories, 'r1');
    await trajectories.onApplicationShutdown();
    expect(readdirSync(join(dataDir, 'trajectories/r1'))).toEqual(['trajectory.json']);
    expect(log.lines).toEqual([expect.stringMatching(/is not written: E(ISDIR|EXIST|NOTEMPTY)/)]);
  });

  it('does not pile up what a slow disk cannot take: beyond a thousand that wait, further ones are not written', async () => {
    writeFileSync(join(dataDir, 'trajectories'), 'a file');
    const trajectories = writer();
    const ids = Array.from({ length: 1_010 }, (_, index) => `r${index}`);
    for (const id of ids) await hold(trajectories, id);
    for (const id of ids) trajectories.release(id);
    while (!log.lines.some((line) => line.includes('"r999"'))) await new Promise((resolve) => setTimeout(resolve, 5));
    await trajectories.onApplicationShutdown();
    const refused = log.lines.filter((line) => line.includes('1000 others wait for the disk'));
    expect(refused).toHaveLength(10);
    expect(refused[0]).toMatch(/^warn rollout "r1000": its trajectory is not written/);
    expect(log.lines.filter((line) => line.includes('ENOTDIR'))).toHaveLength(1_000);
  });
});
