import { Module } from '@nestjs/common';
import { OsmosisDiscoveryModule } from '#discovery';
import { ConfigurableMcpModule, MCP_INPUT, MCP_OPTIONS, mcpOptions } from './mcp.options.js';
import { McpToolSource } from './mcp.tool-source.js';

/** Gives agents the tools of the MCP servers that they name. Needs an `AgentModule` in the application. */
@Module({
  imports: [OsmosisDiscoveryModule],
  providers: [{ provide: MCP_OPTIONS, useFactory: mcpOptions, inject: [MCP_INPUT] }, McpToolSource],
})
export class McpModule extends ConfigurableMcpModule {}
