import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createMockTrainerApp, driveRollouts, RolloutCompletionTracker } from '#testing';
import { ValidationIssue } from './validation.report.js';

/** For one rollout, from its init to its completion. */
const TIMEOUT_MS = 10_000;

/**
 * Runs one rollout of each agent through the application's real routes, with a mock trainer at the other end (spec 6's
 * default request). An init that is refused is an error. A rollout that ends badly is a warning: the mock model's answers
 * need not make sense to the agent.
 */
export async function dryRun(app: NestFastifyApplication, agents: readonly string[]): Promise<ValidationIssue[]> {
  const tracker = new RolloutCompletionTracker();
  const trainer = await createMockTrainerApp({ tracker });
  try {
    await Promise.all([app.listen(0, '127.0.0.1'), trainer.listen(0, '127.0.0.1')]);
    const results = await driveRollouts({
      serverUrl: await app.getUrl(),
      trainerUrl: await trainer.getUrl(),
      tracker,
      timeoutMs: TIMEOUT_MS,
      tasks: agents.map((agent, index) => ({
        agent,
        rolloutId: `validation-test-rollout-${index + 1}`,
        messages: [{ role: 'user', content: 'Hello' }],
        completionParams: { temperature: 1, max_tokens: 512 },
        metadata: { _validation: true },
      })),
    });
    return results.flatMap(({ task, initStatus, completion, problem }) => {
      const where = task.agent;
      if (initStatus !== 202) {
        const message = `the server refused a rollout: ${problem ?? `status ${initStatus}`}`;
        return [new ValidationIssue('error', 'INIT_REFUSED', message, 'init', where, { status: initStatus })];
      }
      if (!completion) return [warning('DRY_RUN_UNFINISHED', problem ?? 'no completion came', where)];
      if (completion.status !== 'ERROR') return [];
      return [
        warning(
          'DRY_RUN_FAILED',
          `the rollout ended as ERROR: ${completion.error_message ?? 'no reason given'}`,
          where,
        ),
      ];
    });
  } finally {
    await trainer.close();
  }
}

function warning(code: string, message: string, where: string | undefined): ValidationIssue {
  return new ValidationIssue('warning', code, message, 'run', where);
}
