import { agentOptions } from '#agent';
import { OsmosisError } from '#domain';
import type { OsmosisModuleOptions } from '#osmosis';
import { rolloutOptions } from '#rollout';
import type { WorkerAssignment } from './worker-protocol.js';

/**
 * One worker's part of the limits that hold for the whole server. Limits of which each worker needs one at least may come
 * to more than the whole: connections, threads, deliveries to one trainer.
 *
 * @throws OsmosisError CONFIG_INVALID when there is less than one rollout a worker
 */
export function shareOf(
  options: OsmosisModuleOptions,
  { number, count }: Pick<WorkerAssignment, 'number' | 'count'>,
): OsmosisModuleOptions {
  const { rollouts = {}, transport = {}, isolation = {} } = options;
  const { maxConcurrent, maxQueued, delivery } = rolloutOptions(rollouts);
  if (maxConcurrent < count) throw tooFew(maxConcurrent, count);
  const part = (whole: number): number => Math.floor(whole / count) + (number <= whole % count ? 1 : 0);
  const oneAtLeast = (whole: number | undefined): number | undefined => whole && Math.max(1, part(whole));
  return {
    ...options,
    isolation: { ...isolation, threads: oneAtLeast(agentOptions({ isolation }).isolation.threads) },
    rollouts: {
      ...rollouts,
      maxConcurrent: part(maxConcurrent),
      maxQueued: part(maxQueued),
      delivery: { ...rollouts.delivery, perTrainer: oneAtLeast(delivery.perTrainer) },
    },
    transport: {
      ...transport,
      maxConnections: oneAtLeast(transport.maxConnections),
      maxIdleConnections: oneAtLeast(transport.maxIdleConnections),
    },
  };
}

function tooFew(maxConcurrent: number, count: number): OsmosisError {
  return new OsmosisError(
    'CONFIG_INVALID',
    `${maxConcurrent} rollout(s) at once cannot be shared by ${count} workers. ` +
      'Raise --max-concurrent (rollouts.maxConcurrent), or lower --workers.',
  );
}
