import type { DroppedConnection, HttpAnswer } from '../mock-model/answers.js';

/**
 * A request that ends otherwise than by its route's own answer. Thrown, because an exception filter is the one place
 * where Nest lets go of status, headers and body together.
 */
export class WireEnding extends Error {
  override readonly name = 'WireEnding';

  constructor(readonly ending: HttpAnswer | DroppedConnection) {
    super('The mock trainer ends this request on purpose.');
  }
}
