export { formatFileProblem, RubricFileError, type FileProblem } from './config/file.problem.js';
export { PreviewService, type PreviewItem, type RubricPreview } from './config/preview.service.js';
export { RubricSuite, type RubricConfig } from './config/rubric.suite.js';
export { loadRubricSuite, parseRubrics } from './config/suite.parser.js';
export {
  Rubric,
  rubricsOf,
  type RubricMetadata,
  type RubricOptions,
  type RubricTarget,
} from './decorators/rubric.decorator.js';
export type { Vote } from './judge/judge.js';
export type { RubricVerdict } from './judge/panel.js';
export type { ModelInfo } from './model.info.js';
export { JudgeFailedError, judgeFailure, RubricInputError, UnreadableVerdictError } from './rubric.error.js';
export { RubricModule } from './rubric.module.js';
export { RUBRIC_OPTIONS, type RubricDefaults, type RubricModuleOptions } from './rubric.options.js';
export type { JudgeCase, RubricRequest, ScoreBounds } from './rubric.request.js';
export { RubricRewards, type RubricRewardInput } from './rubric.rewards.js';
export { RubricService } from './rubric.service.js';
export type { RunProgress } from './runs/rubric.engine.js';
export {
  RubricSession,
  type RubricSessionRequest,
  type RubricSessionResult,
  type SessionStart,
} from './runs/rubric.session.js';
export { histogram, scoreStatistics, type HistogramBin } from './runs/run.statistics.js';
export * from './runs/run.types.js';
export { classicScorer } from './runs/scorers.js';
export type { SessionVerdict } from './runs/session.verdict.js';
export { ATTACK_PROBES, type AttackProbe } from './trust/attack.probes.js';
export { type Agreement, type CutAgreement } from './trust/agreement.js';
export { type ProbeResult, type Shift, type TrustReport, type TrustSample } from './trust/trust.report.js';
export { TrustService, type TrustRequest } from './trust/trust.service.js';
