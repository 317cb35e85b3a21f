import 'reflect-metadata';
import { randomBytes } from 'node:crypto';
import { createMockTrainerApp, driveRollouts, RolloutCompletionTracker, type DrivenRollout } from '#testing';
import { expectedReward, flawsOf } from '../calculator/flaws.js';
import { PROBLEMS, type Problem } from '../calculator/problems.js';
import { createSolver } from '../calculator/solver.js';
import type { DemoRow, TrainerMessage, TrainerOrder } from './demo.protocol.js';

/** The trainer's process: serves the scripted model, drives the dataset, and reports to the demo that forked it. */
async function train({ serverUrl, apiKey }: TrainerOrder): Promise<void> {
  const tracker = new RolloutCompletionTracker();
  const trainerApiKey = randomBytes(16).toString('hex');
  const script = createSolver(flawsOf(PROBLEMS));
  const app = await createMockTrainerApp({ tracker, script, apiKey: trainerApiKey, logger: ['error', 'warn'] });
  await app.listen(0, '127.0.0.1');
  const startedAt = performance.now();
  const ask = ({ system_prompt, user_prompt, ...metadata }: Problem) => ({
    messages: [
      { role: 'system', content: system_prompt },
      { role: 'user', content: user_prompt },
    ],
    metadata,
  });
  const results = await driveRollouts({
    serverUrl,
    trainerUrl: await app.getUrl(),
    tracker,
    apiKey,
    trainerApiKey,
    tasks: PROBLEMS.map(ask),
  });
  const durationMs = performance.now() - startedAt;
  PROBLEMS.forEach((problem, index) => {
    const result = results[index];
    if (result) report({ event: 'rollout', row: toRow(problem, result) });
  });
  report({ event: 'finished', durationMs });
  await app.close();
}

function toRow(problem: Problem, { completion, latencyMs, problem: reason }: DrivenRollout): DemoRow {
  const expected = expectedReward(problem);
  const reward = completion?.reward ?? null;
  const isAsExpected = reward === expected;
  return {
    id: problem.id,
    problem: problem.user_prompt,
    turns: completion?.metrics?.num_llm_calls ?? null,
    toolCalls: completion?.metrics?.num_tool_calls ?? null,
    reward,
    expectedReward: expected,
    finishReason: completion?.finish_reason ?? null,
    latencyMs,
    missing: completion === null,
    fault: reason ?? completion?.error_message ?? (isAsExpected ? null : `expected a reward of ${expected}`),
  };
}

function report(message: TrainerMessage): void {
  process.send?.(message);
}

process.once('message', (order: TrainerOrder) => {
  // The channel would keep the process alive.
  void train(order).finally(() => process.disconnect());
});
