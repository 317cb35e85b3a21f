import { OsmosisError } from '#domain';

/** A result log that cannot be used; says why and what to do. */
export class RunLogError extends OsmosisError {
  constructor(
    readonly path: string,
    message: string,
    details: Readonly<Record<string, unknown>> = {},
  ) {
    super('CONFIG_INVALID', `${path}: ${message}`, { details: { path, ...details } });
  }
}
