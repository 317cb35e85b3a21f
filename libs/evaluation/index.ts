export * from './dataset/index.js';
export { EvaluationModule } from './evaluation.module.js';
export * from './interactive/index.js';
export * from './report/index.js';
export * from './run/index.js';
export * from './statistics/index.js';
