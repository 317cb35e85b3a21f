import type { RunStatistics } from './run.types.js';

/** How a session ended, for whoever decides by it. */
export interface SessionVerdict {
  readonly outcome: 'passed' | 'below_min_mean' | 'all_failed' | 'interrupted';
  readonly passed: boolean;
  /** One sentence; empty when there is nothing to say. */
  readonly reason: string;
}

/** A session in which nothing was scored has failed, whatever the gate (weakness H 12). */
export function judgeSession(statistics: RunStatistics, minMean: number | null, interrupted: boolean): SessionVerdict {
  if (interrupted) return failed('interrupted', 'The session was interrupted; resume takes it up where it ended.');
  if (statistics.success_count === 0) {
    return failed('all_failed', `None of ${statistics.total_runs} runs gave a score.`);
  }
  if (minMean !== null && statistics.average < minMean) {
    const mean = statistics.average.toFixed(4);
    return failed('below_min_mean', `The mean ${mean} is below the required ${minMean}.`);
  }
  return { outcome: 'passed', passed: true, reason: '' };
}

function failed(outcome: SessionVerdict['outcome'], reason: string): SessionVerdict {
  return { outcome, passed: false, reason };
}
