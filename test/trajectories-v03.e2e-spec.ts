import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Agent, Reward, Tool } from '#osmosis';
import { atifFaults, type AtifDocument } from '#testing';
import { until } from './support/init.js';
import { startRig, type Rig } from './support/rig.js';

@Agent({ name: 'adder' })
class AdderAgent {
  @Tool({ description: 'Adds 1 and 1' })
  add(): number {
    return 2;
  }

  @Reward()
  exact(solutionStr: string, groundTruth: string): number {
    return solutionStr === groundTruth ? 0.75 : 0;
  }
}

const REPORT = {
  model_name: 'openai/gpt-5-mini',
  samples: {
    any: {
      llm_call_metrics: [
        { prompt_tokens: 311, completion_tokens: 27, cached_tokens: 64, prompt_token_ids: [9, 8], logprobs: [-0.73] },
        { prompt_tokens: 350, completion_tokens: 3, cost_usd: 0.0011 },
      ],
    },
  },
};

/** A trainer of the dialect 0.3 that reports what it knows when it acknowledges. */
describe('trajectories of the dialect 0.3', () => {
  let rig: Rig;
  let dataDir: string;
  let trainer: Server;
  let acknowledgements: Readonly<Record<string, unknown>>;

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'osmosis-'));
    trainer = createServer((request, response) => {
      request.resume();
      const [, rolloutId = '', what = ''] = request.url?.split('/') ?? [];
      const turn = (turns.get(rolloutId) ?? 0) + 1;
      if (what === 'chat') turns.set(rolloutId, turn);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(what === 'chat' ? answers[turn - 1] : (acknowledgements[what] ?? { ok: true })));
    });
    await new Promise<void>((resolve) => trainer.listen(0, '127.0.0.1', resolve));
    rig = await startRig({ providers: [AdderAgent], osmosis: { rollouts: { trajectories: true, dataDir } } });
  });
  afterAll(async () => {
    await rig.close();
    trainer.closeAllConnections();
    trainer.close();
    rmSync(dataDir, { recursive: true });
  });

  const turns = new Map<string, number>();
  const answers = [
    {
      model: 'osmosis-rollout',
      choices: [
        { message: { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'add' } }] } },
      ],
      usage: { prompt_tokens: 1, completion_tokens: 2, completion_tokens_details: { reasoning_tokens: 1 } },
    },
    { model: 'osmosis-rollout', choices: [{ message: { role: 'assistant', content: '2' } }] },
  ];

  async function run(rolloutId: string, fields: object = {}): Promise<AtifDocument> {
    const { port } = trainer.address() as AddressInfo;
    const base = `http://127.0.0.1:${port}/${rolloutId}`;
    const response = await fetch(`${rig.serverUrl}/rollout`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        rollout_id: rolloutId,
        initial_messages: [{ role: 'user', content: '1 + 1?' }],
        label: '2',
        metadata: { k: 'v' },
        chat_completions_url: base,
        completion_callback_url: `${base}/completion`,
        grader_callback_url: `${base}/grader`,
        extra_fields: { row_index: 0, run_index: 3 },
        ...fields,
      }),
    });
    expect(response.status).toBe(202);
    const file = join(dataDir, 'trajectories', rolloutId, 'trajectory.json');
    await until(() => existsSync(file), file);
    const document = JSON.parse(readFileSync(file, 'utf8')) as AtifDocument;
    expect(atifFaults(document)).toEqual([]);
    return document;
  }

  it.each(['completion', 'grader'])(
    'lay over their turns what the %s callback is acknowledged with',
    async (callback) => {
      acknowledgements = { [callback]: { ok: true, trajectory: REPORT } };
      const document = await run(`by-${callback}`);
      expect(document).toMatchObject({
        agent: { model_name: 'openai/gpt-5-mini' },
        steps: [
          { source: 'user' },
          {
            model_name: 'osmosis-rollout',
            observation: { results: [{ source_call_id: 'c', content: '2' }] },
            metrics: {
              prompt_tokens: 311,
              completion_tokens: 27,
              cached_tokens: 64,
              prompt_token_ids: [9, 8],
              logprobs: [-0.73],
              extra: { completion_tokens_details: { reasoning_tokens: 1 }, finish_reason: 'stop' },
            },
          },
          { message: '2', metrics: { prompt_tokens: 350, cost_usd: 0.0011 } },
        ],
        final_metrics: {
          total_prompt_tokens: 661,
          total_completion_tokens: 30,
          total_cached_tokens: 64,
          total_cost_usd: 0.0011,
          total_steps: 3,
        },
        extra: {
          osmosis: {
            rollout_id: `by-${callback}`,
            label: '2',
            reward: 0.75,
            request_metadata: { k: 'v' },
            request_extra_fields: { row_index: 0, run_index: 3 },
          },
          rollout: { dialect: 'osmosis-v0.3', status: 'COMPLETED' },
        },
      });
    },
  );

  it('take the last report whole, and warn of one that cannot be read', async () => {
    acknowledgements = {
      completion: { trajectory: REPORT },
      grader: { trajectory: { samples: { any: { llm_call_metrics: [{ prompt_tokens: 5 }] } } } },
    };
    const document = await run('twice');
    expect(document.final_metrics).toEqual({ total_prompt_tokens: 5, total_steps: 3 });
    expect(document.steps[1]?.metrics).toMatchObject({ prompt_tokens: 1 });
    acknowledgements = { completion: { trajectory: REPORT }, grader: { trajectory: { samples: [] } } };
    expect((await run('broken')).final_metrics).toMatchObject({ total_prompt_tokens: 661 });
    // It is warned of when the document is there.
    await until(() => rig.log.text.includes('is not read: trajectory.samples is no object'));
  });

  it('need no grader', async () => {
    acknowledgements = {};
    expect(await run('ungraded', { grader_callback_url: null })).toMatchObject({
      final_metrics: { total_prompt_tokens: 1, total_completion_tokens: 2, total_steps: 3 },
    });
  });
});
