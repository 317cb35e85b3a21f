export {
  Rubric,
  rubricsOf,
  type RubricMetadata,
  type RubricOptions,
  type RubricTarget,
} from './decorators/rubric.decorator.js';
export * from './plain/index.js';
export { RubricModule } from './rubric.module.js';
export { RUBRIC_OPTIONS } from './rubric.options.js';
export { RubricRewards, type RubricRewardInput } from './rubric.rewards.js';
