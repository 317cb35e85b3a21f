import { failureOf, OsmosisError } from '#domain';
import { errorCategory } from './error-category.js';

describe('errorCategory (spec 0.3, 8.4)', () => {
  it.each([
    [new OsmosisError('DEADLINE', 'too late'), 'timeout'],
    [new OsmosisError('REWARD_TIMEOUT', 'too late'), 'timeout'],
    [Object.assign(new Error('my own limit'), { name: 'TimeoutError' }), 'timeout'],
    [AbortSignal.timeout(0).reason ?? new DOMException('late', 'TimeoutError'), 'timeout'],
    [new TypeError('x'), 'validation_error'],
    [new RangeError('x'), 'validation_error'],
    [Object.assign(new Error('x'), { name: 'AssertionError' }), 'validation_error'],
    [Object.assign(new Error('x'), { name: 'ZodError' }), 'validation_error'],
    [new OsmosisError('REWARD_NOT_A_NUMBER', 'x'), 'validation_error'],
    [new OsmosisError('PEER_ERROR', 'x'), 'agent_error'],
    [new OsmosisError('SHUTDOWN', 'x'), 'agent_error'],
    [new Error('x'), 'agent_error'],
    ['just a text', 'agent_error'],
    [null, 'agent_error'],
  ])('%p is a %s', (thrown, category) => {
    expect(errorCategory(failureOf(thrown, 'agent'))).toBe(category);
  });
});
