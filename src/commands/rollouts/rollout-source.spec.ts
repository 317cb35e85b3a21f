import type { RolloutFilter } from '#rollout';
import { aRollout } from './fixtures/a-rollout.js';
import type { RolloutJson } from './rollout-json.js';
import { rolloutPages, type ListFilter } from './rollout-source.js';

/** A server that keeps these ids, and pages through them as the real one does. */
class Kept {
  readonly asked: RolloutFilter[] = [];
  constructor(public ids: readonly string[]) {}

  async list(filter: RolloutFilter): Promise<readonly RolloutJson[]> {
    this.asked.push(filter);
    const start = this.ids.indexOf(filter.after ?? '') + 1;
    return this.ids.slice(start, start + filter.limit).map((id) => aRollout({ rollout_id: id }));
  }
}

async function idsOf(kept: Kept, filter: ListFilter = {}, most?: number, onPage = (): void => {}): Promise<string[]> {
  const ids: string[] = [];
  for await (const page of rolloutPages(kept, filter, most)) {
    ids.push(...page.map(({ rollout_id: id }) => id));
    onPage();
  }
  return ids;
}

describe('rolloutPages', () => {
  const ids = Array.from({ length: 600 }, (_, index) => `r${index}`);

  it('goes through all pages with the same filter', async () => {
    const kept = new Kept(ids);
    expect(await idsOf(kept, { status: 'done', agent: 'a' })).toEqual(ids);
    expect(kept.asked.map(({ after }) => after)).toEqual([undefined, 'r249', 'r499']);
    expect(kept.asked.every(({ status, agent }) => status === 'done' && agent === 'a')).toBe(true);
  });

  it('ends where it is told, and asks for no more than that', async () => {
    const kept = new Kept(ids);
    expect(await idsOf(kept, { after: 'r1' }, 300)).toEqual(ids.slice(2, 302));
    expect(kept.asked.map(({ limit }) => limit)).toEqual([250, 50]);
  });

  it('a page that is full to the last rollout is followed by an empty one', async () => {
    expect(await idsOf(new Kept(ids.slice(0, 250)))).toHaveLength(250);
    expect(await idsOf(new Kept([]))).toEqual([]);
  });

  it('passes each once when the server forgets the one that a page ended with', async () => {
    const kept = new Kept(ids);
    const forget = (): void => void (kept.ids = ids.filter((id) => id !== 'r249'));
    expect(await idsOf(kept, {}, Infinity, forget)).toEqual(ids);
  });

  it('ends with a peer that gives the same page again and again', async () => {
    const same = new Kept(ids);
    const list = (filter: RolloutFilter) => same.list({ ...filter, after: undefined });
    const seen: string[] = [];
    for await (const page of rolloutPages({ list }, {})) seen.push(...page.map(({ rollout_id: id }) => id));
    expect(seen).toEqual(ids.slice(0, 250));
  });
});
