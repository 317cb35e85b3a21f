import type { DynamicModule, LoggerService, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import {
  OSMOSIS_OPTIONS_ADJUSTMENT,
  OsmosisModule,
  OsmosisNotFoundFilter,
  type OsmosisOptionsAdjustment,
} from '#osmosis';
import type { LoadedModule } from '../loading/loaded-module.js';
import { createHttpAdapter } from './http-adapter.js';
import { explainStartFailure } from './start-failure.js';

/** The root of the application that serves what was loaded. */
export class ServedModule {}
class AdjustmentModule {}

export interface AgentApplicationOptions {
  /** Changes the application's options before they take effect. */
  readonly adjust: OsmosisOptionsAdjustment;
  readonly logger: LoggerService | false;
  /** Modules that the application gets beside the loaded one. */
  readonly imports?: readonly Type[];
}

/**
 * A Nest application around a loaded agent class or module, with OsmosisModule added where the module does not import it
 * itself. Started (`init`), not listening.
 *
 * @throws OsmosisError DEFINITION_INVALID with every problem of the definitions, or saying what cannot be provided
 */
export async function createAgentApplication(
  loaded: LoadedModule,
  { adjust, logger, imports = [] }: AgentApplicationOptions,
): Promise<NestFastifyApplication> {
  const adapter = createHttpAdapter();
  let app: NestFastifyApplication | undefined;
  try {
    app = await NestFactory.create<NestFastifyApplication>(rootModule(loaded, adjust, imports), adapter, {
      logger,
      abortOnError: false,
    });
    if (loaded.kind === 'agent') app.useGlobalFilters(new OsmosisNotFoundFilter());
    return await app.init();
  } catch (thrown) {
    await app?.close().catch(() => {}); // the first failure is the one to tell
    throw explainStartFailure(loaded, thrown);
  }
}

function rootModule(loaded: LoadedModule, adjust: OsmosisOptionsAdjustment, added: readonly Type[]): DynamicModule {
  const adjustment: DynamicModule = {
    module: AdjustmentModule,
    global: true,
    providers: [{ provide: OSMOSIS_OPTIONS_ADJUSTMENT, useValue: adjust }],
    exports: [OSMOSIS_OPTIONS_ADJUSTMENT],
  };
  const imports = [adjustment, ...(loaded.hasOsmosis ? [] : [OsmosisModule.forRoot()]), ...added];
  if (loaded.kind === 'module') return { module: ServedModule, imports: [...imports, loaded.target] };
  return { module: ServedModule, imports, providers: [...loaded.agents] };
}
