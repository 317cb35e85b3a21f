import { OsmosisError } from '#domain';
import { forEachId } from './for-each-id.js';

const notFound = (id: string): OsmosisError => new OsmosisError('ROLLOUT_NOT_FOUND', `There is no ${id}.`);

describe('forEachId', () => {
  it('goes on after ids that are not known, each once, and names them in the end', async () => {
    const done: string[] = [];
    const work = async (id: string): Promise<void> => {
      if (id.startsWith('no')) throw notFound(id);
      done.push(id);
    };
    await expect(forEachId(['a', 'no1', 'b', 'a', 'no2'], work)).rejects.toMatchObject({
      code: 'ROLLOUT_NOT_FOUND',
      message: 'There is no no1. There is no no2. The other 2 were found.',
      details: { failed: ['no1', 'no2'], done: ['a', 'b'] },
    });
    expect(done).toEqual(['a', 'b']);
    await expect(forEachId(['no1'], work)).rejects.toThrow(/^There is no no1\.$/);
  });

  it('ends at once by any other error', async () => {
    const asked: string[] = [];
    const work = async (id: string): Promise<void> => {
      asked.push(id);
      throw new OsmosisError('TRANSPORT', 'away');
    };
    await expect(forEachId(['a', 'b'], work)).rejects.toThrow('away');
    expect(asked).toEqual(['a']);
  });
});
