import { resolve } from 'node:path';
import { OsmosisError, Secret } from '#domain';
import type { CommandContext } from '../../cli/command-context.js';
import type { ParsedOptions } from '../../cli/parsed-options.js';
import { RolloutServer } from './rollout-server.js';
import type { ListFilter, RolloutSource } from './rollout-source.js';
import { DEFAULT_URL } from './rollouts.declarations.js';
import { ServerClient } from './server-client.js';

/** The data directory when one is named, else the server. Each loads what it needs: SQLite is nothing for the other. */
export async function openSource(
  context: CommandContext,
  options: ParsedOptions,
  signal?: AbortSignal,
): Promise<RolloutSource> {
  const directory = options.text('dataDir');
  if (directory === undefined) return serverOf(context, options, signal);
  const { RolloutDirectory } = await import('./rollout-directory.js');
  return new RolloutDirectory(resolve(context.cwd, directory));
}

/** For what only a server can do. @throws OsmosisError USAGE when a data directory is named */
export function openServer(context: CommandContext, options: ParsedOptions, command: string): RolloutServer {
  if (options.text('dataDir') === undefined) return serverOf(context, options);
  throw new OsmosisError(
    'USAGE',
    `'osmosis ${command}' needs a running server: a data directory can only be looked at. Start the server on it, and ` +
      'name it with --url.',
  );
}

export function filterOf(options: ParsedOptions): ListFilter {
  return { status: options.text('status'), agent: options.text('agent'), after: options.text('after') };
}

function serverOf({ environment, dotenv }: CommandContext, options: ParsedOptions, signal?: AbortSignal) {
  // An empty variable is none, as for `serve`.
  const apiKey =
    Secret.from(options.text('apiKey')) ??
    Secret.from(environment['OSMOSIS_API_KEY']) ??
    Secret.from(dotenv?.values['OSMOSIS_API_KEY']);
  return new RolloutServer(new ServerClient(options.text('url') ?? DEFAULT_URL, apiKey, signal));
}
