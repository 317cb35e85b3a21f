import { Agent } from '#agent';

/** The agent that has nothing but the tools of an MCP server, in the built-in loop (spec F.9). */
@Agent({ name: 'mcp_agent', description: 'Uses the tools of an MCP server', tools: [] })
export class McpAgent {}
