import { ConfigurableModuleBuilder } from '@nestjs/common';
import { requirePositive, type McpServer } from '#agent';
import { systemClock, type Clock } from '#domain';

export interface McpModuleInput {
  /** Servers by a name that `@Agent({ mcp: ['name'] })` takes: for keys that come from the configuration. */
  readonly servers?: Readonly<Record<string, McpServer>>;
  /** Milliseconds until a server must have told its tools. Default 30,000. */
  readonly connectTimeoutMs?: number;
  /** Where commands run, and relative paths begin. Default: where the process runs. */
  readonly cwd?: string;
  readonly clock?: Clock;
}

export type McpModuleOptions = Required<McpModuleInput>;

export const MCP_OPTIONS = Symbol('MCP_OPTIONS');

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<McpModuleInput>()
  .setClassMethodName('forRoot')
  .build();

export { ConfigurableModuleClass as ConfigurableMcpModule, MODULE_OPTIONS_TOKEN as MCP_INPUT };

/** @throws OsmosisError CONFIG_INVALID */
export function mcpOptions(input: McpModuleInput = {}): McpModuleOptions {
  const { servers = {}, connectTimeoutMs = 30_000, cwd = process.cwd(), clock = systemClock } = input;
  requirePositive('mcp.connectTimeoutMs', connectTimeoutMs);
  return { servers, connectTimeoutMs, cwd, clock };
}
