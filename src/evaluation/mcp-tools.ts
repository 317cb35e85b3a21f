import { OsmosisError, Secret } from '#domain';
import { McpAgent, McpConnection } from '#mcp/connection';
import type { CommandContext } from '../cli/command-context.js';
import type { LoadedModule } from '../loading/loaded-module.js';
import type { AgentChoice } from './evaluation-options.js';

/** Starts or reaches an MCP server. Close the connection. @throws McpError; OsmosisError CONFIG_INVALID without its key */
export function connectMcp(
  { server, keyEnv }: Extract<AgentChoice, { readonly kind: 'mcp' }>,
  { cwd, env, version }: CommandContext,
): Promise<McpConnection> {
  const bearer = keyEnv === undefined ? null : readKey(keyEnv, env);
  return McpConnection.open(server, { cwd, bearer, client: { name: 'nestjs-osmosis', version } });
}

function readKey(variable: string, env: CommandContext['env']): Secret {
  const key = Secret.from(env[variable]);
  if (key) return key;
  throw new OsmosisError('CONFIG_INVALID', `The environment variable ${variable} of --mcp-key-env is not set.`);
}

/** The agent that gets the server's tools, as if `-m` had named it (spec F.9). */
export const MCP_MODULE: LoadedModule = {
  label: 'the agent of --mcp',
  file: '',
  kind: 'agent',
  target: McpAgent,
  agents: [McpAgent],
  hasOsmosis: false,
};
