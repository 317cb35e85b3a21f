import { ConfigurableModuleBuilder, type NestApplicationOptions } from '@nestjs/common';
import type { RolloutCompletionTracker } from '../completion-tracker.js';
import type { RolloutCallbackTracker } from '../callback-tracker.js';
import type { FaultPlan } from '../fault-plan.js';
import type { MockModelOptions } from '../mock-model/script.js';
import type { RequestRecorder } from '../request-recorder.js';
import type { RolloutCallback } from '../wire/callbacks.js';

export interface MockTrainerOptions extends MockModelOptions {
  /** Takes the completions of dialect 0.2. `app.get(RolloutCompletionTracker)` when left out. */
  readonly tracker?: RolloutCompletionTracker;
  /** Takes the callbacks of dialect 0.3. `app.get(RolloutCallbackTracker)` when left out. */
  readonly callbacks?: RolloutCallbackTracker;
  /** What acknowledges a callback, beside `ok`: a trajectory report, for one. */
  readonly acknowledge?: (callback: RolloutCallback) => Readonly<Record<string, unknown>>;
  /** Keeps the raw requests. `app.get(RequestRecorder)` when left out. */
  readonly recorder?: RequestRecorder;
  /** What goes wrong. `app.get(FaultPlan)` when left out. */
  readonly faults?: FaultPlan;
  /** The bearer that chat requests and completions must carry; none is asked for when left out. */
  readonly apiKey?: string;
  /** The bearer for the chat requests of dialect 0.3; `apiKey` when left out. */
  readonly modelKey?: string;
}

export interface MockTrainerAppOptions extends MockTrainerOptions {
  /** As for `NestFactory.create`; mind that Nest's logger is one for all applications of a process. */
  readonly logger?: NestApplicationOptions['logger'];
}

export const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN: MOCK_TRAINER_OPTIONS } =
  new ConfigurableModuleBuilder<MockTrainerOptions>({ moduleName: 'MockTrainer' }).build();
