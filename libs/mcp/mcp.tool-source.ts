import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import {
  AGENT_METADATA,
  ToolSources,
  type AgentDescriptor,
  type AgentOptions,
  type McpServer,
  type ToolDescriptor,
  type ToolSource,
} from '#agent';
import { DefinitionProblems, MetadataAccessor } from '#discovery';
import { describeThrown } from '#domain';
import type { McpConnection, McpOptions } from './mcp.connection.js';
import { McpError } from './mcp.error.js';
import { MCP_OPTIONS, type McpModuleOptions } from './mcp.options.js';

/**
 * The tools of `@Agent({ mcp })`. Each server is opened once, when the application starts, for all agents that name it
 * and all their rollouts, and closed when the last rollout has ended.
 */
@Injectable()
export class McpToolSource implements ToolSource, OnApplicationShutdown {
  readonly renaming = "Give the server's tools a prefix: @Agent({ mcp: [{ command, prefix: 'files_' }] })";
  private readonly connections = new Map<string, Promise<McpConnection>>();

  constructor(
    sources: ToolSources,
    private readonly problems: DefinitionProblems,
    @Inject(MCP_OPTIONS) private readonly options: McpModuleOptions,
  ) {
    sources.register(this);
    problems.onRefusal(() => this.onApplicationShutdown());
  }

  serves(agent: AgentDescriptor): boolean {
    return serversOf(agent).length > 0;
  }

  async toolsFor(agent: AgentDescriptor): Promise<readonly ToolDescriptor[]> {
    const opened = await Promise.allSettled(serversOf(agent).map((server) => this.connect(server)));
    return opened.flatMap((result) => {
      if (result.status === 'fulfilled') return result.value.tools;
      this.report(agent, result.reason);
      return [];
    });
  }

  /** Rollouts have ended by now, or were cancelled: they are waited for in `beforeApplicationShutdown`. */
  async onApplicationShutdown(): Promise<void> {
    const connections = [...this.connections.values()];
    this.connections.clear();
    await Promise.all(connections.map((opening) => opening.then((connection) => connection.close()).catch(() => {})));
  }

  private report({ name, provider }: AgentDescriptor, error: unknown): void {
    const known = error instanceof McpError ? error : new McpError('(unknown)', describeThrown(error));
    this.problems.report({
      code: 'MCP_SERVER_UNUSABLE',
      where: provider.type.name,
      module: provider.module,
      what: `the MCP server ${known.server} of the agent '${name}' ${known.what}`,
      cure: known.cure,
    });
  }

  private connect(named: McpServer): Promise<McpConnection> {
    const { servers, cwd, connectTimeoutMs, clock } = this.options;
    const server = typeof named === 'string' && Object.hasOwn(servers, named) ? servers[named]! : named;
    const key = JSON.stringify(server);
    const connection = this.connections.get(key) ?? open(server, { cwd, connectTimeoutMs, clock });
    this.connections.set(key, connection);
    return connection;
  }
}

/** Connections are loaded with the first one: most applications have none. */
async function open(server: McpServer, options: McpOptions): Promise<McpConnection> {
  const { McpConnection } = await import('./mcp.connection.js');
  return McpConnection.open(server, options);
}

function serversOf({ provider }: AgentDescriptor): readonly McpServer[] {
  const servers: unknown = MetadataAccessor.ofClass<AgentOptions>(AGENT_METADATA, provider.type)?.mcp;
  if (servers === undefined || servers === null) return [];
  return (Array.isArray(servers) ? servers : [servers]) as readonly McpServer[];
}
