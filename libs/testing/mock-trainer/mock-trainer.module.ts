import { Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { RolloutCompletionTracker } from '../completion-tracker.js';
import { RolloutCallbackTracker } from '../callback-tracker.js';
import { FaultPlan } from '../fault-plan.js';
import { RequestRecorder } from '../request-recorder.js';
import { CallbacksController } from './callbacks.controller.js';
import { MockTrainerController } from './mock-trainer.controller.js';
import { MockTrainerFilter } from './mock-trainer.filter.js';
import { ConfigurableModuleClass, MOCK_TRAINER_OPTIONS, type MockTrainerOptions } from './mock-trainer.options.js';
import { MockTrainerService } from './mock-trainer.service.js';

/** Not for a user's own application: it wants its bodies unread, which `createMockTrainerApp` sees to. */
@Module({
  controllers: [MockTrainerController, CallbacksController],
  providers: [
    MockTrainerService,
    { provide: APP_FILTER, useClass: MockTrainerFilter },
    {
      provide: RolloutCompletionTracker,
      inject: [MOCK_TRAINER_OPTIONS],
      useFactory: (options: MockTrainerOptions) => options.tracker ?? new RolloutCompletionTracker(),
    },
    {
      provide: RolloutCallbackTracker,
      inject: [MOCK_TRAINER_OPTIONS],
      useFactory: (options: MockTrainerOptions) => options.callbacks ?? new RolloutCallbackTracker(),
    },
    {
      provide: RequestRecorder,
      inject: [MOCK_TRAINER_OPTIONS],
      useFactory: (options: MockTrainerOptions) => options.recorder ?? new RequestRecorder(),
    },
    {
      provide: FaultPlan,
      inject: [MOCK_TRAINER_OPTIONS],
      useFactory: (options: MockTrainerOptions) => options.faults ?? new FaultPlan(),
    },
  ],
})
export class MockTrainerModule extends ConfigurableModuleClass {}
