export {
  Rubric,
  rubricsOf,
  type RubricMetadata,
  type RubricOptions,
  type RubricTarget,
} from './decorators/rubric.decorator.js';
export { RubricModule } from './rubric.module.js';
export { RUBRIC_OPTIONS, type RubricModuleOptions } from './rubric.options.js';
export type { RubricRequest } from './rubric.request.js';
export { RubricRewards, type RubricRewardInput } from './rubric.rewards.js';
export { RubricService } from './rubric.service.js';
