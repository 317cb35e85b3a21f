import { Cancellation, OsmosisError } from '#domain';
import { untilCancelled } from './until-cancelled.js';

const reason = new OsmosisError('DEADLINE', 'too late');

describe('untilCancelled', () => {
  it('gives what the work gives, or throws what it throws', async () => {
    await expect(untilCancelled(new Cancellation(), async () => 7)).resolves.toBe(7);
    await expect(untilCancelled(new Cancellation(), () => Promise.reject(new Error('broke')))).rejects.toThrow('broke');
  });

  it('ends with the reason, and drops what the work does afterwards', async () => {
    const cancellation = new Cancellation();
    let reject = (_error: Error): void => {};
    const ended = untilCancelled(cancellation, () => new Promise((_, fail) => (reject = fail)));
    cancellation.cancel(reason);
    await expect(ended).rejects.toBe(reason);
    // An unhandled rejection would end the process.
    reject(new Error('nobody waits for this any more'));
    await new Promise(setImmediate);
  });

  it('does not begin what is cancelled already', async () => {
    const cancellation = new Cancellation();
    cancellation.cancel(reason);
    const work = jest.fn(async () => 7);
    await expect(untilCancelled(cancellation, work)).rejects.toBe(reason);
    expect(work).not.toHaveBeenCalled();
  });
});
