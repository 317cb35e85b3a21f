import type { LoggerService } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { EvaluationModule } from '#evaluation';
import type { OsmosisModuleOptions } from '#osmosis';
import type { CommandContext } from '../cli/command-context.js';
import { threadArguments } from '../loading/import-module.js';
import type { LoadedModule } from '../loading/loaded-module.js';
import { createAgentApplication } from '../serving/agent-application.js';
import { generateApiKey } from '../serving/api-keys.js';

/**
 * The application of what was loaded, as `serve` starts it, with the runners of #evaluation in it. It listens nowhere and
 * keeps no rollouts. Close it.
 *
 * @throws OsmosisError DEFINITION_INVALID with every problem of the definitions
 */
export function createEvaluationApplication(
  context: CommandContext,
  loaded: LoadedModule,
  logger: LoggerService,
): Promise<NestFastifyApplication> {
  return createAgentApplication(loaded, {
    adjust: (own) => forEvaluation(own, context),
    logger,
    imports: [EvaluationModule],
  });
}

/** Nobody outside reaches the application. Judges find their keys where the evaluated model does. */
function forEvaluation(own: OsmosisModuleOptions, { env }: CommandContext): OsmosisModuleOptions {
  return {
    ...own,
    // None at all would be warned of.
    apiKeys: [generateApiKey()],
    models: { env, ...own.models },
    isolation: { ...own.isolation, execArgv: own.isolation?.execArgv ?? threadArguments() },
    rollouts: { ...own.rollouts, store: 'memory', traceDir: undefined, shutdownGraceMs: 0 },
  };
}
