import { OsmosisError, type Failure } from '#domain';
import { ProviderRequestError } from '#model/plain';

/** What a judge was asked with is unusable. Found before anything is sent. */
export class RubricInputError extends OsmosisError {
  constructor(message: string, details: Readonly<Record<string, unknown>> = {}) {
    super('USAGE', message, { details });
  }
}

/** The judge answered, was asked to mend its answer, and still gave none that can be read. There is no score. */
export class UnreadableVerdictError extends ProviderRequestError {
  constructor(provider: string, model: string, reason: string) {
    super({ kind: 'protocol', provider, model, detail: `no verdict: ${reason}` });
  }
}

/** No judge gave a score: neither the first nor any that stood in for it, or too few of the votes. */
export class JudgeFailedError extends OsmosisError {
  constructor(
    message: string,
    readonly errors: readonly OsmosisError[],
  ) {
    super('JUDGE_FAILED', message, {
      retryable: errors.some((error) => error.retryable),
      details: { judges: errors.map((error) => ({ code: error.code, ...error.details })) },
    });
  }
}

/**
 * Why there is no score, for an outcome: the judge's fault, never the agent's (cases RJ-06, RJ-13). The rollout's own end
 * (deadline, cancellation, shutdown) keeps its class.
 */
export function judgeFailure(error: unknown): Failure {
  const base = { phase: 'judge' } as const;
  if (!OsmosisError.is(error)) {
    const message = error instanceof Error ? error.message : String(error);
    return { ...base, class: 'judge', code: 'JUDGE_FAILED', message, retryable: false };
  }
  const { code, message, retryable, details } = error;
  const ends = { DEADLINE: 'deadline', CANCELLED: 'cancelled', SHUTDOWN: 'shutdown' } as const;
  if (code === 'DEADLINE' || code === 'CANCELLED' || code === 'SHUTDOWN') {
    return { ...base, class: ends[code], code, message, retryable };
  }
  return { ...base, class: 'judge', code: 'JUDGE_FAILED', message, retryable, evidence: { cause: code, ...details } };
}
