import { isDeepStrictEqual } from 'node:util';
import type { FaultPlace } from '../../support/vectors.js';
import type { PlainAnswer } from './post-body.js';

/** What both servers must agree about: the status, and the faults without their words, or the text of the detail. */
export interface WireAnswer {
  readonly status: number;
  readonly detail: string | readonly FaultPlace[] | null;
}

export function readAnswer({ status, text }: PlainAnswer): WireAnswer {
  // An internal error of the peer is plain text.
  if (!text.startsWith('{')) return { status, detail: text };
  const { detail = null } = JSON.parse(text) as { detail?: string | readonly FaultPlace[] };
  return {
    status,
    detail: Array.isArray(detail) ? detail.map(({ type, loc }: FaultPlace) => ({ type, loc })) : detail,
  };
}

export const same = (left: unknown, right: unknown): boolean => isDeepStrictEqual(left, right);

/** Runs a job for each item, a few at a time, and gives the results in the order of the items. */
export async function forAll<Item, Result>(
  items: readonly Item[],
  job: (item: Item) => Promise<Result>,
  atOnce = 8,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const work = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await job(item);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return results;
}
