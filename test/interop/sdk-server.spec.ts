import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { driveRollouts, type DrivenRollout } from '#testing';
import { CalculatorAgent } from '../../src/calculator/calculator.agent.js';
import { PATIENT } from '../support/init.js';
import { startRig, type Rig } from '../support/rig.js';
import { withoutIntegralFloats } from './exchange/compare.js';
import { callsFor, SUMS } from './exchange/sums.js';
import { describeWithSdk, PythonServer } from './support/python.js';

const KEYS = { apiKey: 'trainer-key', modelKey: 'model-key' };
const LABELS = ['The calculation is complete.', '42', 'OK.', undefined];

describeWithSdk('our mock trainer drives the server of osmosis-ai 0.3.2, and ours', () => {
  let rig: Rig;
  let server: PythonServer;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'osmosis-sdk-'));
    const env = { HOME: folder, _OSMOSIS_ROLLOUT_ARTIFACT_ROOT: folder };
    [rig, server] = await Promise.all([
      startRig({ providers: [CalculatorAgent], trainer: { toolCallGenerator: callsFor, ...KEYS } }),
      PythonServer.start('peer.v03_server', ['--calculator'], env),
    ]);
  });

  afterAll(async () => {
    await Promise.all([rig?.close(), server?.stop()]);
    await rm(folder, { recursive: true, force: true });
  });

  const driveAll = (serverUrl: string): Promise<DrivenRollout[]> =>
    driveRollouts({
      dialect: 'osmosis-v0.3',
      serverUrl,
      trainerUrl: rig.trainerUrl,
      callbacks: rig.callbacks,
      trainerApiKey: KEYS.apiKey,
      modelKey: KEYS.modelKey,
      ...PATIENT,
      tasks: SUMS.map(({ messages }, index) => ({ messages, label: LABELS[index % LABELS.length] })),
    });

  it('50 problems end alike, callback by callback', async () => {
    const theirs = await driveAll(server.url);
    const ours = await driveAll(rig.serverUrl);
    expect(theirs.map(({ problem }) => problem)).toEqual(SUMS.map(() => null));
    expect(theirs.map(told).map(withoutIntegralFloats)).toEqual(ours.map(told));
    expect(new Set(ours.map(({ outcome }) => outcome?.reward))).toEqual(new Set([null, 0, 1]));
  });
});

/** What the callbacks said, but for the id and for what we say beyond the SDK: rows figures-in-sample and failure-in-completion. */
function told({ callbacks }: DrivenRollout): object[] {
  return callbacks.map(({ kind, body }) => {
    const { rollout_id: _id, ...said } = { extra_fields: null, sample: null, ...body };
    if (said.sample === null) return { kind, ...said };
    const { messages, label, reward, remove_sample } = said.sample;
    return { kind, ...said, sample: { messages, label, reward, remove_sample } };
  });
}
