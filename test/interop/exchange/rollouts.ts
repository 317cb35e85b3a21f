import type { RolloutCompletion } from '#testing';
import { until } from '../../support/init.js';
import { forAll } from '../support/wire-answer.js';
import type { Sum } from './sums.js';

/** Who plays the two sides. */
export interface Pair {
  readonly name: string;
  readonly serverUrl: string;
  readonly trainerUrl: string;
}

const KEY = 'server-key-0123456789';
export const TRAINER_KEY = 'trainer-key';

/** What a server answered to an init, and what the trainer was told in the end. */
export interface Exchange {
  readonly tools: readonly unknown[];
  readonly completion: RolloutCompletion;
}

/** Runs all problems through one server and one trainer. */
export function runAll(pair: Pair, sums: readonly Sum[]): Promise<Exchange[]> {
  const numbered = sums.map((sum, index) => ({ sum, rolloutId: rolloutIdOf(pair, index) }));
  return forAll(numbered, ({ sum, rolloutId }) => runOne(pair, sum, rolloutId));
}

export const rolloutIdOf = ({ name }: Pair, index: number): string => `${name}-${index}`;

async function runOne({ serverUrl, trainerUrl }: Pair, sum: Sum, rolloutId: string): Promise<Exchange> {
  const response = await fetch(`${serverUrl}/v1/rollout/init`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    body: JSON.stringify({ ...sum, rollout_id: rolloutId, server_url: trainerUrl, api_key: TRAINER_KEY }),
  });
  const { rollout_id, tools } = (await response.json()) as { rollout_id: string; tools: unknown[] };
  if (response.status !== 202 || rollout_id !== rolloutId) throw new Error(`init of ${rolloutId}: ${response.status}`);
  let completion: Partial<RolloutCompletion> = {};
  await until(async () => {
    const known = await fetch(`${trainerUrl}/v1/rollout/completed/${encodeURIComponent(rolloutId)}`);
    completion = (await known.json()) as Partial<RolloutCompletion>;
    return completion.status !== undefined;
  }, `the completion of ${rolloutId}`);
  return { tools, completion: completion as RolloutCompletion };
}
