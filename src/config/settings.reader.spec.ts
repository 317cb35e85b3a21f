import { readSettings } from './settings.reader.js';
import { SETTINGS, type SettingName } from './settings.table.js';

function read(environment: Record<string, string>, dotenv?: Record<string, string>) {
  return readSettings({ environment, dotenv: dotenv ? { path: '/p/.env', values: dotenv } : null });
}

function faultsOf(environment: Record<string, string>): readonly string[] {
  try {
    read(environment);
    return [];
  } catch (error) {
    expect(error).toMatchObject({ code: 'CONFIG_INVALID', exitCode: 3 });
    return (error as { details: { faults: string[] } }).details.faults;
  }
}

const CLIENT = 'OSMOSIS_ROLLOUT_CLIENT_';
const SERVER = 'OSMOSIS_ROLLOUT_SERVER_';

describe('settings (spec 7, pinned cases 12.11)', () => {
  it('every bound is inclusive, and nothing beyond it is taken', () => {
    for (const [name, { min, max }] of Object.entries<{ min?: number; max?: number }>(SETTINGS)) {
      if (min === undefined || max === undefined) continue;
      for (const value of [min, max]) expect(read({ [name]: String(value) }).get(name as SettingName)).toBe(value);
      for (const value of [min - 1, max + 1]) {
        expect(faultsOf({ [name]: String(value) })).toEqual([expect.stringContaining(name)]);
      }
    }
  });

  it.each([
    [`${CLIENT}TIMEOUT_SECONDS`, ['0.5', '0', '-1', '3601', '5000', 'not_a_number', '', 'nan', 'inf', '0x10']],
    [`${CLIENT}MAX_RETRIES`, ['-1', '20', '1.5', '1e1', '']],
    [`${CLIENT}RETRY_BASE_DELAY`, ['.01']],
    [`${CLIENT}MAX_CONNECTIONS`, ['0', '2000']],
    [`${SERVER}MAX_CONCURRENT_ROLLOUTS`, ['0', '20000']],
    [`${SERVER}RECORD_TTL_SECONDS`, ['10', '100000']],
    [`${SERVER}CLEANUP_INTERVAL_SECONDS`, ['5']],
    [`${SERVER}REQUEST_TIMEOUT_SECONDS`, ['5']],
    [`${SERVER}REGISTRATION_READINESS_TIMEOUT_SECONDS`, ['.5']],
    ['OSMOSIS_ROLLOUT_MAX_METADATA_SIZE_BYTES', ['100', '209715200']],
  ])('12.11: %s refuses %j', (name, values) => {
    for (const value of values) expect(faultsOf({ [name]: value })).toHaveLength(1);
  });

  it.each([
    [`${CLIENT}TIMEOUT_SECONDS`, '1e1', 10],
    [`${CLIENT}MAX_RETRIES`, '5.0', 5],
    [`${CLIENT}MAX_RETRIES`, ' 0 ', 0],
    [`${SERVER}MAX_CONCURRENT_ROLLOUTS`, '10000', 10_000],
    [`${CLIENT.toLowerCase()}max_retries`, '7', 7],
  ])('7: %s=%s is read as %d', (name, text, value) => {
    expect(read({ [name]: text }).get(name.toUpperCase() as SettingName)).toBe(value);
  });

  it('7: an option beats the environment, that beats .env, that beats the default; the source is kept', () => {
    const sources = {
      environment: { PORT: '2', HOST: 'env' },
      dotenv: { path: '/p/.env', values: { PORT: '3', HOST: 'file' } },
    };
    const settings = readSettings({ ...sources, flags: { PORT: 1 } });
    expect([settings.get('PORT'), settings.sourceOf('PORT'), settings.originOf('PORT')]).toEqual([1, 'flag', '--port']);
    expect([settings.get('HOST'), settings.sourceOf('HOST')]).toEqual(['env', 'environment']);
    expect(read({}, { HOST: 'file' }).originOf('HOST')).toBe('/p/.env');
    expect([read({}).get('PORT'), read({}).sourceOf('PORT')]).toEqual([8000, 'default']);
  });

  it('7: JSON sets a group at once; fields not in it come from their own variables', () => {
    const settings = read({
      OSMOSIS_ROLLOUT_CLIENT: '{"timeout_seconds": 5}',
      [`${CLIENT}TIMEOUT_SECONDS`]: '7',
      [`${CLIENT}MAX_RETRIES`]: '2',
    });
    expect(settings.get('OSMOSIS_ROLLOUT_CLIENT_TIMEOUT_SECONDS')).toBe(5);
    expect(settings.get('OSMOSIS_ROLLOUT_CLIENT_MAX_RETRIES')).toBe(2);
    expect(faultsOf({ OSMOSIS_ROLLOUT_SERVER: '{oops' })).toEqual([expect.stringContaining('must be a JSON object')]);
    expect(faultsOf({ OSMOSIS_ROLLOUT_CLIENT: '{"max_retries": [1]}' })).toHaveLength(1);
  });

  it('names every wrong variable with its value and the rule, and no secret', () => {
    expect(faultsOf({ PORT: 'x', [`${CLIENT}MAX_RETRIES`]: '99', OSMOSIS_PLATFORM_URL: 'ftp://x' })).toEqual([
      "PORT (the environment) is 'x', but must be a whole number from 0 to 65535",
      "OSMOSIS_PLATFORM_URL (the environment) is 'ftp://x', but must be an http or https URL",
      "OSMOSIS_ROLLOUT_CLIENT_MAX_RETRIES (the environment) is '99', but must be a whole number from 0 to 10",
    ]);
  });

  it('an empty text is not set', () => {
    expect(read({ OSMOSIS_API_KEY: ' ' }).get('OSMOSIS_API_KEY')).toBeUndefined();
  });

  it('12.11: an unknown variable with the prefix is ignored, and warned of with the nearest name', () => {
    const { warnings } = read({ OSMOSIS_ROLLOUT_CLIENT_MAX_RETRYS: '3', OSMOSIS_TOKEN: 't', OTHER: 'x' });
    expect(warnings).toEqual([expect.stringContaining('Did you mean OSMOSIS_ROLLOUT_CLIENT_MAX_RETRIES?')]);
  });
});
