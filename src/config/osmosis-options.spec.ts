import { rolloutOptions } from '#rollout';
import { TRAINER_CLIENT_DEFAULTS } from '#trainers';
import { osmosisOptions } from './osmosis-options.js';
import { readSettings } from './settings.reader.js';

const options = (environment: Record<string, string>) => osmosisOptions(readSettings({ environment }));

describe('settings as options of OsmosisModule', () => {
  it('every variable of spec 7 that concerns the server arrives, in milliseconds where it is a time', () => {
    const group = (values: object): string => JSON.stringify(values);
    expect(
      options({
        OSMOSIS_ROLLOUT_CLIENT: group({
          timeout_seconds: 11,
          max_retries: 1,
          complete_rollout_retries: 4,
          retry_base_delay: 0.5,
          retry_max_delay: 12,
          max_connections: 50,
          max_keepalive_connections: 10,
        }),
        OSMOSIS_ROLLOUT_SERVER: group({
          max_concurrent_rollouts: 7,
          record_ttl_seconds: 90,
          cleanup_interval_seconds: 20,
          request_timeout_seconds: 30,
        }),
        OSMOSIS_ROLLOUT_MAX_METADATA_SIZE_BYTES: '2048',
        OSMOSIS_API_KEY: 'k',
        ROLLOUT_DEBUG_DIR: '/traces',
        OSMOSIS_ROLLOUT_TRAJECTORIES: 'On',
      }),
    ).toMatchObject({
      apiKeys: 'k',
      maxMetadataBytes: 2048,
      rollouts: {
        maxConcurrent: 7,
        recordTtlMs: 90_000,
        cleanupIntervalMs: 20_000,
        deadlineMs: 30_000,
        traceDir: '/traces',
        trajectories: true,
        delivery: { maxRetries: 4 },
      },
      trainer: { timeoutMs: 11_000, maxRetries: 1, retryBaseDelayMs: 500, retryMaxDelayMs: 12_000 },
      transport: { maxConnections: 50, maxIdleConnections: 10 },
    });
  });

  it("the table's defaults are those of the libraries", () => {
    const settings = readSettings({ environment: {} });
    const engine = rolloutOptions();
    const server = 'OSMOSIS_ROLLOUT_SERVER_';
    expect(settings.get(`${server}MAX_CONCURRENT_ROLLOUTS`)).toBe(engine.maxConcurrent);
    expect(settings.get(`${server}RECORD_TTL_SECONDS`) * 1000).toBe(engine.recordTtlMs);
    expect(settings.get(`${server}CLEANUP_INTERVAL_SECONDS`) * 1000).toBe(engine.cleanupIntervalMs);
    expect(settings.get(`${server}REQUEST_TIMEOUT_SECONDS`) * 1000).toBe(engine.deadlineMs);
    expect(settings.get('OSMOSIS_ROLLOUT_TRAJECTORIES') === 'on').toBe(engine.trajectories);
    const client = 'OSMOSIS_ROLLOUT_CLIENT_';
    expect(settings.get(`${client}TIMEOUT_SECONDS`) * 1000).toBe(TRAINER_CLIENT_DEFAULTS.timeoutMs);
    expect(settings.get(`${client}MAX_RETRIES`)).toBe(TRAINER_CLIENT_DEFAULTS.maxRetries);
    expect(settings.get(`${client}RETRY_BASE_DELAY`) * 1000).toBe(TRAINER_CLIENT_DEFAULTS.retryBaseDelayMs);
    expect(settings.get(`${client}RETRY_MAX_DELAY`) * 1000).toBe(TRAINER_CLIENT_DEFAULTS.retryMaxDelayMs);
  });
});
