export { compare, pairedRates, type Comparison } from './comparison.js';
export { NO_ESTIMATE, reaches, type Estimate, type Interval, type IntervalOptions } from './estimate.js';
export { judgeGate, parseGate, type Gate, type GateMetric, type GateVerdict } from './gate.js';
export { DEFAULT_CONFIDENCE, meanInterval, wilson, type RowShare } from './intervals.js';
export { passAtK, passHatK } from './pass.estimators.js';
export {
  passesOf,
  summarizeScores,
  type RowPasses,
  type RowSample,
  type ScoreSummary,
  type SummaryOptions,
} from './score.summary.js';
