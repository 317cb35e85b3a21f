import { OsmosisError } from '#domain';

/**
 * Does something for each id, one after the other. An id that is not known stops none of the others.
 *
 * @throws OsmosisError ROLLOUT_NOT_FOUND after all, naming those that were not known; anything else at once
 */
export async function forEachId(ids: readonly string[], work: (id: string) => Promise<void>): Promise<void> {
  const done: string[] = [];
  const failed: { readonly id: string; readonly error: OsmosisError }[] = [];
  for (const id of new Set(ids)) {
    try {
      await work(id);
      done.push(id);
    } catch (error) {
      if (!OsmosisError.is(error) || error.code !== 'ROLLOUT_NOT_FOUND') throw error;
      failed.push({ id, error });
    }
  }
  if (failed.length === 0) return;
  const others = done.length === 0 ? '' : ` The other ${done.length} were found.`;
  throw new OsmosisError('ROLLOUT_NOT_FOUND', failed.map(({ error }) => error.message).join(' ') + others, {
    details: { failed: failed.map(({ id }) => id), done },
  });
}
