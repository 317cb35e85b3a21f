import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, Reward, RolloutContext, Tool, type RolloutResult } from '#osmosis';
import { rolloutUrls, toolCall, type FaultPlan, type MockTrainerOptions } from '#testing';
import { CalculatorAgent } from '../src/calculator/calculator.agent.js';
import { Exchange } from './support/golden.js';
import { until } from './support/init.js';
import { startRig, type Rig, type RigOptions } from './support/rig.js';

/** Says of its sample what can be said. */
@Agent({ name: 'noting' })
class NotingAgent {
  @Tool({ description: 'Nothing' })
  nothing(): string {
    return 'nothing';
  }

  async run(ctx: RolloutContext): Promise<RolloutResult> {
    ctx.recordMetric('difficulty', 2.5);
    ctx.removeSample();
    return ctx.complete([...ctx.request.messages, { role: 'assistant', content: 'skipped' }]);
  }

  @Reward()
  score(_solutionStr: string, _groundTruth: string): number {
    return 0.5;
  }
}

@Agent({ name: 'failing' })
class FailingAgent {
  async run(ctx: RolloutContext): Promise<RolloutResult> {
    if (ctx.request.messages[0]?.content === 'hang') await sleep(60_000, undefined, { signal: ctx.signal, ref: false });
    throw new TypeError('the agent exploded');
  }

  @Reward()
  score(_solutionStr: string, _groundTruth: string): number {
    throw new Error('the reward exploded');
  }
}

/** Completes, and its reward fails. */
@Agent({ name: 'ungraded' })
class UngradedAgent extends FailingAgent {
  override async run(ctx: RolloutContext): Promise<RolloutResult> {
    return ctx.complete([...ctx.request.messages, { role: 'assistant', content: '5' }]);
  }
}

interface Scenario {
  readonly name: string;
  readonly rig?: RigOptions;
  readonly trainer?: MockTrainerOptions;
  readonly question?: string;
  readonly truth?: string | null;
  readonly faults?: (faults: FaultPlan) => unknown;
}

const ADDITION = [[toolCall('add', { a: 2, b: 3 }, 'call_1')], '5'];
const providers = (agent: new () => object): RigOptions => ({ providers: [agent] });

const SCENARIOS: readonly Scenario[] = [
  { name: 'success', trainer: { script: ADDITION, apiKey: 'trainer-key' } },
  { name: 'wrong-answer', trainer: { script: ['6'] } },
  { name: 'tool-error', trainer: { script: [[toolCall('divide', { a: 1, b: 0 }, 'call_1')], '5'] } },
  { name: 'no-ground-truth', trainer: { script: ['5'] }, truth: null },
  { name: 'agent-failure', rig: providers(FailingAgent) },
  { name: 'reward-failure', rig: providers(UngradedAgent) },
  { name: 'removed-sample', rig: providers(NotingAgent) },
  { name: 'model-refusal', faults: (faults) => faults.onChat({ status: 400, body: { error: 'no such model' } }) },
  {
    name: 'lost-acknowledgement',
    trainer: { script: ['5'] },
    faults: (faults) =>
      faults.onCompleted('drop-after').onCompletionCallback('drop-after').onGraderCallback('drop-after'),
  },
];

/** What differs between the dialects on the trainer's side. */
interface Dialect {
  readonly path: string;
  body(rig: Rig, rolloutId: string, question: string, truth: string | null): Record<string, unknown>;
  ended(rig: Rig, rolloutId: string): Promise<unknown>;
}

const DIALECTS: Readonly<Record<string, Dialect>> = {
  'osmosis-v0.2': {
    path: '/v1/rollout/init',
    body: (rig, rolloutId, question, truth) => ({
      rollout_id: rolloutId,
      server_url: rig.trainerUrl,
      messages: [{ role: 'user', content: question }],
      completion_params: { temperature: 0.7 },
      metadata: truth === null ? {} : { ground_truth: truth },
      api_key: 'trainer-key',
    }),
    ended: (rig, rolloutId) => rig.tracker.waitFor(rolloutId),
  },
  'osmosis-v0.3': {
    path: '/rollout',
    body: (rig, rolloutId, question, truth) => ({
      initial_messages: [{ role: 'user', content: question }],
      label: truth,
      metadata: null,
      rollout_id: rolloutId,
      ...rolloutUrls(rig.trainerUrl, rolloutId),
      controller_api_key: 'trainer-key',
      llm_api_key: null,
      agent_timeout_sec: 450,
      grader_timeout_sec: 150,
      extra_fields: { row_index: 0 },
    }),
    ended: (rig, rolloutId) => rig.callbacks.waitForGrade(rolloutId),
  },
};

/** What both sides say, byte for byte but for addresses and durations. Refresh with `npm run golden`, and read the diff. */
describe.each(Object.entries(DIALECTS))('golden exchanges of %s', (dialect, { path, body, ended }) => {
  let rig: Rig;
  afterEach(() => rig.close());

  it.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))('%s', async (name, scenario) => {
    rig = await startRig({ providers: [CalculatorAgent], ...scenario.rig, trainer: scenario.trainer });
    scenario.faults?.(rig.faults);
    const exchange = new Exchange(rig);
    const { question = '2 + 3?', truth = '5' } = scenario;
    await exchange.send({ path, body: body(rig, 'r-1', question, truth) });
    await ended(rig, 'r-1');
    await settled(rig, 'r-1');
    exchange.expectGolden(`${dialect}/${name}`);
  });

  it('requests', async () => {
    rig = await startRig({ providers: [FailingAgent], osmosis: { apiKeys: 'server-key' } });
    const exchange = new Exchange(rig);
    const headers = { authorization: 'Bearer server-key' };
    const hanging = body(rig, 'r-1', 'hang', '5');
    await exchange.send({ path, body: hanging });
    await exchange.send({ path, body: { ...hanging, rollout_id: 5 }, headers });
    await exchange.send({ path, body: {}, headers });
    await exchange.send({ path, body: hanging, headers });
    await exchange.send({ path, body: hanging, headers });
    await exchange.send({ path, body: body(rig, 'r-1', 'something else', '5'), headers });
    await exchange.send({ method: 'GET', path });
    await exchange.send({ method: 'GET', path: '/health' });
    if (dialect === 'osmosis-v0.3') {
      await exchange.send({ method: 'GET', path: '/rollout/r-1/status', headers });
      await exchange.send({ method: 'GET', path: '/rollout/never/status', headers });
      await exchange.send({ path: '/rollout/cancel', body: {}, headers });
      await exchange.send({ path: '/rollout/cancel', body: { prefix: '' }, headers });
      await exchange.send({ path: '/rollout/cancel', body: { ids: ['r-1', 'never'] }, headers });
      await settled(rig, 'r-1', headers);
      await exchange.send({ method: 'GET', path: '/rollout/r-1/status', headers });
    }
    exchange.expectGolden(`${dialect}/requests`);
  });
});

/** Until nothing more is told of a rollout. */
async function settled(rig: Rig, rolloutId: string, headers: Record<string, string> = {}): Promise<void> {
  await until(async () => {
    const response = await fetch(`${rig.serverUrl}/v1/rollout/${rolloutId}`, { headers });
    return ((await response.json()) as { readonly state: string }).state === 'done';
  }, `rollout ${rolloutId} ends`);
}
