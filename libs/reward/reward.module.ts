import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { OsmosisDiscoveryModule } from '#discovery';
import { RewardExplorer } from './reward.explorer.js';
import { REWARD_OPTIONS, rewardOptions, type RewardModuleOptions } from './reward.options.js';
import { RewardRegistry } from './reward.registry.js';
import { RewardService } from './reward.service.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<Partial<RewardModuleOptions>>()
  .setClassMethodName('forRoot')
  .setExtras({}, (definition) => ({ ...definition, global: true }))
  .build();

/** Rewards: finds them, computes them. Import once, with `forRoot`, beside AgentModule; global. */
@Module({
  imports: [OsmosisDiscoveryModule],
  providers: [
    { provide: REWARD_OPTIONS, useFactory: rewardOptions, inject: [MODULE_OPTIONS_TOKEN] },
    RewardExplorer,
    RewardRegistry,
    RewardService,
  ],
  exports: [RewardRegistry, RewardService],
})
export class RewardModule extends ConfigurableModuleClass {}
