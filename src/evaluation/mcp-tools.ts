import { McpAgent, McpConnection } from '#mcp';
import type { CommandContext } from '../cli/command-context.js';
import type { LoadedModule } from '../loading/loaded-module.js';

/** Starts or reaches an MCP server. Close the connection. @throws McpError */
export function connectMcp(server: string, { cwd, version }: CommandContext): Promise<McpConnection> {
  return McpConnection.open(server, { cwd, client: { name: 'nestjs-osmosis', version } });
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
