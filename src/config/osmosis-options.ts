import type { OsmosisModuleOptions } from '#osmosis';
import type { Settings } from './settings.js';

/**
 * The module options that the settings ask for. Holds what somebody set and nothing else, so that it can be laid over an
 * application's own options; the defaults of the table are those of the libraries.
 */
export function osmosisOptions(settings: Settings): OsmosisModuleOptions {
  const seconds = (value: number | undefined): number | undefined => (value === undefined ? undefined : value * 1000);
  return {
    apiKeys: settings.get('OSMOSIS_API_KEY'),
    instanceId: settings.get('_OSMOSIS_ROLLOUT_INSTANCE_ID'),
    maxMetadataBytes: settings.given('OSMOSIS_ROLLOUT_MAX_METADATA_SIZE_BYTES'),
    rollouts: {
      store: settings.get('OSMOSIS_ROLLOUT_STORE'),
      dataDir: settings.get('OSMOSIS_ROLLOUT_DATA_DIR'),
      maxConcurrent: settings.given('OSMOSIS_ROLLOUT_SERVER_MAX_CONCURRENT_ROLLOUTS'),
      recordTtlMs: seconds(settings.given('OSMOSIS_ROLLOUT_SERVER_RECORD_TTL_SECONDS')),
      cleanupIntervalMs: seconds(settings.given('OSMOSIS_ROLLOUT_SERVER_CLEANUP_INTERVAL_SECONDS')),
      deadlineMs: seconds(settings.given('OSMOSIS_ROLLOUT_SERVER_REQUEST_TIMEOUT_SECONDS')),
      traceDir: settings.get('ROLLOUT_DEBUG_DIR'),
      trajectories: switched(settings.given('OSMOSIS_ROLLOUT_TRAJECTORIES')),
      delivery: { maxRetries: settings.get('OSMOSIS_ROLLOUT_CLIENT_COMPLETE_ROLLOUT_RETRIES') },
    },
    trainer: {
      timeoutMs: seconds(settings.given('OSMOSIS_ROLLOUT_CLIENT_TIMEOUT_SECONDS')),
      maxRetries: settings.given('OSMOSIS_ROLLOUT_CLIENT_MAX_RETRIES'),
      retryBaseDelayMs: seconds(settings.given('OSMOSIS_ROLLOUT_CLIENT_RETRY_BASE_DELAY')),
      retryMaxDelayMs: seconds(settings.given('OSMOSIS_ROLLOUT_CLIENT_RETRY_MAX_DELAY')),
    },
    transport: {
      maxConnections: settings.get('OSMOSIS_ROLLOUT_CLIENT_MAX_CONNECTIONS'),
      maxIdleConnections: settings.get('OSMOSIS_ROLLOUT_CLIENT_MAX_KEEPALIVE_CONNECTIONS'),
    },
  };
}

function switched(word: 'on' | 'off' | undefined): boolean | undefined {
  return word === undefined ? undefined : word === 'on';
}
