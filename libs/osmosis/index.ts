/** The package's public face: what a user's application imports. */
export {
  Agent,
  defineTool,
  Describe,
  jsonSchemaOf,
  RolloutContext,
  runToolLoop,
  Tool,
  AgentRegistry,
  type AgentDescriptor,
  type AgentLoop,
  type AgentOptions,
  type DynamicTools,
  type McpAddress,
  type McpCommand,
  type McpServer,
  type ToolChoice,
  type ToolDescriptor,
  type ToolFunction,
  type ToolOptions,
} from '#agent';
export * from '#domain';
export {
  caseInsensitiveMatch,
  exactMatch,
  hashAnswerMatch,
  jsonMatch,
  lengthPenalty,
  numericMatch,
  osmosisReward,
  regexMatch,
  Reward,
  RolloutTrajectory,
  setOverlap,
  similarity,
  toolUse,
  type ClassicRewardMethod,
  type ExtraInfo,
  type FullRewardMethod,
  type RewardAggregator,
  type RewardMethod,
  type RewardOptions,
} from '#reward';
export { Rubric, RubricService, type RubricOptions, type RubricRequest } from '#rubric';
export { RolloutService, type AcceptedRollout, type RolloutModuleOptions } from '#rollout';
export { isOsmosisContext, OsmosisNotFoundFilter } from '#trainers';
export { OsmosisModule } from './osmosis.module.js';
export {
  OSMOSIS_OPTIONS_ADJUSTMENT,
  type OsmosisModuleOptions,
  type OsmosisOptionsAdjustment,
} from './osmosis.options.js';
