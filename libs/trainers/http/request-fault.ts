import { OsmosisError } from '#domain';

/**
 * One item of a 422 answer, in FastAPI's shape but without `input`: what a caller sent is never echoed (spec 13.25).
 */
export interface RequestFault {
  readonly type: string;
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

/** A request whose body is not what the route takes. Answered with 422 and the list of faults. */
export class InvalidRequestError extends OsmosisError {
  constructor(readonly faults: readonly RequestFault[]) {
    const lines = faults.map((fault) => `${fault.loc.join('.')}: ${fault.msg}`);
    super('REQUEST_INVALID', `The request body is not valid. ${lines.join('; ')}`, { details: { faults } });
  }
}

/** A request whose parts are valid, but not together. Answered with 422 and the message as it is. */
export class UnfitRequestError extends OsmosisError {
  constructor(message: string) {
    super('REQUEST_INVALID', message);
  }
}
