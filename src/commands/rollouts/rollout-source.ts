import type { AtifDocument } from '#atif';
import type { ChatMessage } from '#domain';
import type { RolloutFilter } from '#rollout';
import type { RolloutJson } from './rollout-json.js';

export type ListFilter = Omit<RolloutFilter, 'limit'>;

/** Where rollouts are looked at: a running server, or a data directory. */
export interface RolloutSource {
  /** In the order of acceptance. `limit` is 1000 at most. */
  list(filter: RolloutFilter): Promise<readonly RolloutJson[]>;
  /** @throws OsmosisError ROLLOUT_NOT_FOUND */
  get(rolloutId: string): Promise<RolloutJson>;
  /** Null where the source cannot give any content. */
  readonly contents: RolloutContents | null;
  close(): void;
}

/** What was said in a rollout. */
export interface RolloutContents {
  /** The conversation as far as it is stored. */
  messages(rolloutId: string): readonly ChatMessage[];
  /** The request as the body of an init, without its key; null when the rollout is gone. */
  request(rolloutId: string): Readonly<Record<string, unknown>> | null;
  /** The ATIF document of a finished rollout; null when nothing was said in it. */
  trajectory(rolloutId: string): Promise<AtifDocument | null>;
}

const PAGE = 250;

/**
 * Rollouts page by page, so that memory stays flat however many there are.
 *
 * A server forgets old rollouts meanwhile, and may forget the very one that a page ended with; the list then begins anew,
 * and what came before is passed over.
 */
export async function* rolloutPages(
  source: Pick<RolloutSource, 'list'>,
  filter: ListFilter,
  most = Infinity,
): AsyncGenerator<readonly RolloutJson[], void> {
  const seen = new Set<string>();
  let { after } = filter;
  for (let left = most; left > 0;) {
    const limit = Math.min(left, PAGE);
    const page = await source.list({ ...filter, after, limit });
    const fresh = page.filter(({ rollout_id: id }) => !seen.has(id));
    for (const { rollout_id: id } of fresh) seen.add(id);
    if (fresh.length > 0) yield fresh;
    left -= fresh.length;
    const last = page.at(-1)?.rollout_id;
    // The same end again: whoever answers does not know of pages.
    if (page.length < limit || last === after) return;
    after = last;
  }
}
