import { OsmosisError } from '#domain';

/**
 * What counts as a score: a finite primitive number, within the range where one is declared. No booleans, numeric
 * strings, bigints or number objects; nothing is clamped (cases RW-01, RW-06, RW-08).
 *
 * @throws OsmosisError REWARD_NOT_A_NUMBER or REWARD_OUT_OF_RANGE, naming the reward and what it gave
 */
export function requireScore(value: unknown, where: string, range?: readonly [number, number]): number {
  if (typeof value !== 'number' || !Number.isFinite(value)) {
    const got = typeof value === 'number' ? String(value) : value === null ? 'null' : typeof value;
    throw new OsmosisError('REWARD_NOT_A_NUMBER', `Reward ${where} must give a finite number, but gave ${got}`);
  }
  if (range && (value < range[0] || value > range[1])) {
    const bounds = `${range[0]} to ${range[1]}`;
    throw new OsmosisError('REWARD_OUT_OF_RANGE', `Reward ${where} gave ${value}, but its range is ${bounds}`);
  }
  return value;
}
