import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { OsmosisDiscoveryModule } from '#discovery';
import { DeliveryService } from './delivery.service.js';
import { OwnRollouts } from './own.rollouts.js';
import { RolloutAdmission } from './rollout.admission.js';
import { RolloutAnnouncer } from './rollout.announcer.js';
import { RolloutControl } from './rollout.control.js';
import { RolloutKeeper } from './rollout.keeper.js';
import { RolloutMemory } from './rollout.memory.js';
import { ROLLOUT_OPTIONS, rolloutOptions, type RolloutModuleInput } from './rollout.options.js';
import { RolloutExecution } from './rollout.execution.js';
import { RolloutPipeline } from './rollout.pipeline.js';
import { RolloutPreparation } from './rollout.preparation.js';
import { RolloutRecovery } from './rollout.recovery.js';
import { RolloutRunner } from './rollout.runner.js';
import { RolloutService } from './rollout.service.js';
import { createStore, ROLLOUT_STORE } from './store/index.js';
import { TraceWriter } from './trace.writer.js';
import { TrainerRegistry } from './trainer.registry.js';
import { TrajectoryWriter } from './trajectory/trajectory.writer.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<RolloutModuleInput>()
  .setClassMethodName('forRoot')
  .setExtras({}, (definition) => ({ ...definition, global: true }))
  .build();

/** The engine. Import once, with `forRoot`, beside AgentModule and RewardModule; global. */
@Module({
  imports: [OsmosisDiscoveryModule],
  providers: [
    { provide: ROLLOUT_OPTIONS, useFactory: rolloutOptions, inject: [MODULE_OPTIONS_TOKEN] },
    { provide: ROLLOUT_STORE, useFactory: createStore, inject: [ROLLOUT_OPTIONS] },
    DeliveryService,
    OwnRollouts,
    RolloutAdmission,
    RolloutControl,
    RolloutKeeper,
    RolloutMemory,
    RolloutExecution,
    RolloutPipeline,
    RolloutAnnouncer,
    RolloutPreparation,
    RolloutRecovery,
    RolloutRunner,
    RolloutService,
    TraceWriter,
    TrainerRegistry,
    TrajectoryWriter,
  ],
  exports: [ROLLOUT_OPTIONS, RolloutAdmission, RolloutControl, RolloutService, TrainerRegistry],
})
export class RolloutModule extends ConfigurableModuleClass {}
