export { McpAgent } from './mcp.agent.js';
export { McpConnection, type McpOptions } from './mcp.connection.js';
export { McpError } from './mcp.error.js';
export { readMcpTarget, type McpTarget } from './mcp.target.js';
