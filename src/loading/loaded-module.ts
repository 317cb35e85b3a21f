import type { DynamicModule, Type } from '@nestjs/common';

/** What `-m` named, ready to be served. */
export interface LoadedModule {
  /** As the command line named it, for messages. */
  readonly label: string;
  /** The file it came from. */
  readonly file: string;
  readonly kind: 'agent' | 'module';
  readonly target: Type | DynamicModule;
  /** Agent classes that can be seen before it is started. */
  readonly agents: readonly Type[];
  /** Whether the application imports OsmosisModule itself. */
  readonly hasOsmosis: boolean;
}
