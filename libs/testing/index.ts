export { atifFaults, messagesOf, type AtifDocument } from '#atif';
export type { TrackerOptions } from './arrivals.js';
export { RolloutCallbackTracker } from './callback-tracker.js';
export { RolloutCompletionTracker } from './completion-tracker.js';
export type { DrivenEnd, DrivenOutcome } from './driven-end.js';
export { driveRollouts, type DrivenRollout, type DriveRolloutsOptions, type RolloutTask } from './drive-rollouts.js';
export {
  FaultPlan,
  type DelayFault,
  type Fault,
  type FaultRule,
  type StatusFault,
  type TrainerRoute,
} from './fault-plan.js';
export {
  completion,
  delayed,
  dropConnection,
  httpAnswer,
  toAssistantMessage,
  toolCall,
  type CompletionOverrides,
  type HttpAnswerOptions,
  type MessageAnswer,
  type ScriptedAnswer,
} from './mock-model/answers.js';
export { fakePromptTokenIds, fakeTokenIds } from './mock-model/fake-tokens.js';
export { asksForTool, type KeywordMatching } from './mock-model/keyword-rule.js';
export type { MockModelOptions, MockScript, ScriptFunction, ToolCallGenerator } from './mock-model/script.js';
export { createMockTrainerApp } from './mock-trainer/mock-trainer.app.js';
export type { MockTrainerAppOptions, MockTrainerOptions } from './mock-trainer/mock-trainer.options.js';
export { rolloutUrls, type RolloutUrls } from './rollout-urls.js';
export { RecordedRequest, RequestRecorder } from './request-recorder.js';
export type { CallbackSample, CompletionCallback, GraderCallback, RolloutCallback } from './wire/callbacks.js';
export type { CompletionsRequest, CompletionsResponse } from './wire/chat-completions.js';
export type { CompletionMetrics, RolloutCompletion } from './wire/rollout-completion.js';
