/** Connections to MCP servers, for whoever opens them. Apart, because few applications have any. */
export { McpAgent } from '../mcp.agent.js';
export { McpConnection, type McpOptions } from '../mcp.connection.js';
export { readMcpTarget, type McpTarget } from '../mcp.target.js';
