import { ConfigurableModuleBuilder } from '@nestjs/common';
import type { RubricRequest } from './rubric.request.js';

/** What a request that says nothing gets. */
export type RubricDefaults = Pick<
  RubricRequest,
  'modelInfo' | 'fallback' | 'votes' | 'temperature' | 'timeout' | 'maxSolutionChars'
>;

export interface RubricModuleOptions {
  readonly defaults?: RubricDefaults;
}

export const { ConfigurableModuleClass: ConfigurableRubricModule, MODULE_OPTIONS_TOKEN: RUBRIC_OPTIONS } =
  new ConfigurableModuleBuilder<RubricModuleOptions>({ moduleName: 'OsmosisRubric' })
    .setClassMethodName('forRoot')
    // As the other rooms: any provider may have a text judged.
    .setExtras({}, (definition) => ({ ...definition, global: true }))
    .build();
