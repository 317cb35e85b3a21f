import { EXIT } from '#domain';
import { gateLine, type EvaluationReport } from '#evaluation/plain';
import type { Verdict } from './end-report.js';

/** Null when all gates are passed. */
export function gateVerdict({ gates }: EvaluationReport): Verdict | null {
  const failed = gates.filter(({ passed }) => !passed);
  if (failed.length === 0) return null;
  const count = gates.length === 1 ? 'The gate' : `${failed.length} of ${gates.length} gates`;
  const message = `${count} failed. ${failed.map(gateLine).join('; ')}.`;
  return { code: 'GATE_FAILED', message, exitCode: EXIT.failure };
}
