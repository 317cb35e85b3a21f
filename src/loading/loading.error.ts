import { OsmosisError, type OsmosisErrorOptions } from '#domain';

/** What `-m` names cannot be found: the command line is wrong. */
export function notFound(message: string, options?: OsmosisErrorOptions): OsmosisError {
  return new OsmosisError('USAGE', message, options);
}

/** What `-m` names was found, but cannot be served: the code is wrong. */
export function notUsable(message: string, options?: OsmosisErrorOptions): OsmosisError {
  return new OsmosisError('DEFINITION_INVALID', message, options);
}
