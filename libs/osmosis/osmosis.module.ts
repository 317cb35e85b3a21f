import {
  ConfigurableModuleBuilder,
  Module,
  type ConfigurableModuleAsyncOptions,
  type DynamicModule,
  type Type,
} from '@nestjs/common';
import { AgentModule } from '#agent';
import { OsmosisDiscoveryModule } from '#discovery';
import { McpModule } from '#mcp';
import { ModelModule } from '#model';
import { RewardModule } from '#reward';
import { RolloutModule } from '#rollout';
import { RubricModule } from '#rubric';
import { ControlModule, OsmosisV02Module, OsmosisV03Module, TrainerHttpModule, TransportModule } from '#trainers';
import {
  OSMOSIS_OPTIONS_ADJUSTMENT,
  type OsmosisModuleOptions,
  type OsmosisOptionsAdjustment,
} from './osmosis.options.js';
import { StartReport } from './start.report.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<OsmosisModuleOptions>()
  .setClassMethodName('forRoot')
  .build();

/** The options as the host has adjusted them. */
const EFFECTIVE_OPTIONS = Symbol('OSMOSIS_OPTIONS');

/** Holds the options, so that every room's module takes its part of them. */
@Module({})
class OsmosisOptionsModule {}

/**
 * All of nestjs-osmosis in one import: finds the application's agents, tools and rewards, and serves them to trainers.
 *
 * @example
 * ```ts
 * @Module({ imports: [OsmosisModule.forRoot()], providers: [CalculatorAgent] })
 * export class AppModule {}
 * ```
 */
@Module({})
export class OsmosisModule extends ConfigurableModuleClass {
  static override forRoot(options: OsmosisModuleOptions = {}): DynamicModule {
    return compose(super.forRoot(options));
  }

  static override forRootAsync(options: ConfigurableModuleAsyncOptions<OsmosisModuleOptions>): DynamicModule {
    return compose(super.forRootAsync(options));
  }
}

function compose(definition: DynamicModule): DynamicModule {
  return {
    module: definition.module,
    imports: [
      {
        module: OsmosisOptionsModule,
        imports: definition.imports,
        providers: [
          ...(definition.providers ?? []),
          {
            provide: EFFECTIVE_OPTIONS,
            inject: [MODULE_OPTIONS_TOKEN, { token: OSMOSIS_OPTIONS_ADJUSTMENT, optional: true }],
            useFactory: (options: OsmosisModuleOptions, adjust?: OsmosisOptionsAdjustment) =>
              adjust?.(options) ?? options,
          },
        ],
        exports: [EFFECTIVE_OPTIONS],
        global: true,
      },
      OsmosisDiscoveryModule,
      AgentModule.forRootAsync(part(({ tools, isolation, defaultAgent }) => ({ tools, isolation, defaultAgent }))),
      McpModule.forRootAsync(part(({ mcp }) => mcp ?? {})),
      RewardModule.forRootAsync(part(({ rewards }) => rewards ?? {})),
      ModelModule.forRootAsync(part(({ models }) => models ?? {})),
      RubricModule.forRootAsync(part(({ rubrics }) => rubrics ?? {})),
      RolloutModule.forRootAsync(part(({ rollouts }) => rollouts ?? {})),
      TransportModule.forRootAsync(part(({ transport }) => transport ?? {})),
      TrainerHttpModule.forRootAsync(
        part(({ apiKeys, bodyLimitBytes, maxMetadataBytes, instanceId, trainer }) => ({
          apiKeys,
          bodyLimitBytes,
          maxMetadataBytes,
          instanceId,
          client: trainer,
        })),
      ),
      OsmosisV02Module,
      OsmosisV03Module,
      ControlModule,
    ],
    providers: [StartReport],
  };
}

/** Async options of a room's module, taken from ours. */
function part<Options>(pick: (options: OsmosisModuleOptions) => Options): {
  inject: (string | symbol | Type)[];
  useFactory: (options: OsmosisModuleOptions) => Options;
} {
  return { inject: [EFFECTIVE_OPTIONS], useFactory: pick };
}
