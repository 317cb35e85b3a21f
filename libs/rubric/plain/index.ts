/** The room without Nest, for programs that must start fast. */
export { RubricSuite, type RubricConfig } from '../config/rubric.suite.js';
export { loadRubricSuite, parseRubrics } from '../config/suite.parser.js';
export type { Vote } from '../judge/judge.js';
export type { RubricVerdict } from '../judge/panel.js';
export type { ModelInfo } from '../model.info.js';
export * from '../preview/index.js';
export { JudgeFailedError, judgeFailure, RubricInputError, UnreadableVerdictError } from '../rubric.error.js';
export type { RubricDefaults, RubricModuleOptions } from '../rubric.options.js';
export type { JudgeCase, RubricRequest, ScoreBounds } from '../rubric.request.js';
export { RubricService } from '../rubric.service.js';
export { ensureWritable, writeAtomically } from '../runs/atomic.file.js';
export type { RunProgress } from '../runs/rubric.engine.js';
export {
  RubricSession,
  type RubricSessionRequest,
  type RubricSessionResult,
  type SessionStart,
} from '../runs/rubric.session.js';
export { histogram, scoreStatistics, type HistogramBin } from '../runs/run.statistics.js';
export * from '../runs/run.types.js';
export { classicScorer } from '../runs/scorers.js';
export type { SessionVerdict } from '../runs/session.verdict.js';
export type { Agreement, CutAgreement } from '../trust/agreement.js';
export { ATTACK_PROBES, PROBE_SHARE, type AttackProbe } from '../trust/attack.probes.js';
export {
  TRUST_LIMITS,
  type ProbeResult,
  type Shift,
  type TrustReport,
  type TrustSample,
} from '../trust/trust.report.js';
export { TrustService, type TrustRequest } from '../trust/trust.service.js';
