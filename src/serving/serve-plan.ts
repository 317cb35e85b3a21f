import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describeThrown, OsmosisError, Secret } from '#domain';
import { warn, type CommandContext } from '../cli/command-context.js';
import type { ParsedOptions } from '../cli/parsed-options.js';
import { readSettings } from '../config/settings.reader.js';
import type { Settings } from '../config/settings.js';
import { generateApiKey, readApiKeyFile, type ApiKeyChoice } from './api-keys.js';
import { RELOAD_CHILD } from './reload/reload-protocol.js';
import type { WorkerAssignment } from './workers/worker-protocol.js';

/** Everything that the command line and the configuration ask `serve` to do. */
export interface ServePlan {
  readonly module: string;
  readonly host: string;
  readonly port: number;
  readonly agent: string | undefined;
  /** Processes that serve. */
  readonly workers: number;
  readonly settings: Settings;
  readonly apiKeys: ApiKeyChoice;
  /** Folder of this run's traces; undefined: none. */
  readonly traceDir: string | undefined;
  readonly logLevel: string;
  readonly validate: boolean;
  /** Why the server does not register with the platform; undefined: it does. */
  readonly registrationSkipped: 'local debug mode' | 'local testing mode' | undefined;
}

/**
 * @param worker in one of several workers; who keeps them has warned, and has made the key and the folder of all
 * @throws OsmosisError USAGE for options that exclude each other, CONFIG_INVALID for wrong settings, files and folders
 */
export async function readServePlan(
  context: CommandContext,
  options: ParsedOptions,
  worker?: WorkerAssignment,
): Promise<ServePlan> {
  const isLocal = options.flag('local');
  const settings = readSettings({
    environment: context.environment,
    dotenv: context.dotenv,
    flags: {
      PORT: options.integer('port'),
      HOST: options.text('host'),
      OSMOSIS_API_KEY: options.text('apiKey'),
      OSMOSIS_PUBLIC_HOST: options.text('publicHost'),
      ROLLOUT_DEBUG_DIR: options.text('log'),
      OSMOSIS_WORKERS: options.integer('workers'),
      OSMOSIS_ROLLOUT_STORE: options.text('store'),
      OSMOSIS_ROLLOUT_DATA_DIR: options.text('dataDir'),
      OSMOSIS_ROLLOUT_TRAJECTORIES: options.flag('trajectories') ? 'on' : undefined,
      OSMOSIS_ROLLOUT_SERVER_MAX_CONCURRENT_ROLLOUTS: options.integer('maxConcurrent'),
    },
  });
  const tell = (warning: string): void => {
    if (!worker) warn(context, warning);
  };
  settings.warnings.forEach(tell);
  const workers = settings.get('OSMOSIS_WORKERS');
  if (workers > 1 && options.flag('reload')) throw noReload(settings);
  await requirePublicHost(settings);
  const generatedKey = worker?.generatedKey ?? context.environment[RELOAD_CHILD];
  const apiKeys = await chooseApiKeys({ context, options, settings, generatedKey, tell });
  return {
    module: options.text('module') ?? '',
    host: settings.get('HOST'),
    port: worker?.port ?? settings.get('PORT'),
    agent: options.text('agent'),
    workers,
    settings,
    apiKeys,
    traceDir: worker ? worker.traceDir : await createTraceDir(settings.get('ROLLOUT_DEBUG_DIR'), context.cwd),
    logLevel: options.text('logLevel') ?? (context.quiet ? 'warning' : 'info'),
    validate: options.flag('validate'),
    registrationSkipped: isLocal ? 'local debug mode' : options.flag('skipRegister') ? 'local testing mode' : undefined,
  };
}

/** The platform puts the port behind it by itself. */
async function requirePublicHost(settings: Settings): Promise<void> {
  const host = settings.get('OSMOSIS_PUBLIC_HOST');
  if (host === undefined) return;
  const { isIpv6, isValidHostnameOrIp } = await import('#workspace/plain');
  if (isIpv6(host) || (isValidHostnameOrIp(host) && !/:\d+$/.test(host))) return;
  const origin = settings.originOf('OSMOSIS_PUBLIC_HOST');
  const subject = settings.sourceOf('OSMOSIS_PUBLIC_HOST') === 'flag' ? origin : `OSMOSIS_PUBLIC_HOST (${origin})`;
  throw new OsmosisError(
    'CONFIG_INVALID',
    `${subject} is '${host}', but must be a host name or an IP address, without http:// and without a port.`,
  );
}

/** A watched server is started anew by itself; a keeper of workers would start them anew, too. */
function noReload(settings: Settings): OsmosisError {
  const origin = settings.originOf('OSMOSIS_WORKERS');
  return new OsmosisError(
    'USAGE',
    `--reload serves with one process, but ${settings.get('OSMOSIS_WORKERS')} workers are asked for (${origin}). ` +
      'Leave out --reload, or give --workers 1.',
  );
}

interface KeyQuestion {
  readonly context: CommandContext;
  readonly options: ParsedOptions;
  readonly settings: Settings;
  /** A key that was generated before, for all processes of the server. */
  readonly generatedKey: string | undefined;
  tell(warning: string): void;
}

async function chooseApiKeys({ context, options, settings, generatedKey, tell }: KeyQuestion): Promise<ApiKeyChoice> {
  const given = options.text('apiKey');
  const file = options.text('apiKeyFile');
  if (options.flag('local')) {
    if (given !== undefined || file !== undefined) {
      const option = given !== undefined ? '--api-key' : '--api-key-file';
      throw new OsmosisError('USAGE', `--local disables the API key check, so ${option} has no place. Leave one out.`);
    }
    if (settings.get('OSMOSIS_API_KEY')) tell('OSMOSIS_API_KEY has no effect with --local: no key is checked.');
    return { kind: 'disabled' };
  }
  if (given !== undefined && file !== undefined) {
    throw new OsmosisError('USAGE', '--api-key and --api-key-file exclude each other. Put the key into the file.');
  }
  if (given?.trim() === '')
    throw new OsmosisError('USAGE', '--api-key is empty. Leave it out to have a key generated.');
  if (given !== undefined) {
    tell('--api-key is visible in the list of processes. Set OSMOSIS_API_KEY or use --api-key-file.');
  }
  const [first, ...others] = file === undefined ? [] : await readApiKeyFile(file, context.cwd);
  if (first) return { kind: 'provided', keys: [first, ...others] };
  const key = Secret.from(settings.get('OSMOSIS_API_KEY'));
  if (key) return { kind: 'provided', keys: [key] };
  return { kind: 'generated', key: Secret.from(generatedKey) ?? generateApiKey() };
}

/** A folder of its own for each run (spec 2.6). */
async function createTraceDir(parent: string | undefined, cwd: string): Promise<string | undefined> {
  if (parent === undefined) return undefined;
  const directory = join(resolve(cwd, parent), String(Math.floor(Date.now() / 1000)));
  try {
    await mkdir(directory, { recursive: true });
    return directory;
  } catch (cause) {
    const message = `Cannot create the log folder ${directory} (${describeThrown(cause)}). Give --log a folder that can be written.`;
    throw new OsmosisError('CONFIG_INVALID', message, { cause });
  }
}
