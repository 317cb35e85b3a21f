export { McpAgent } from './mcp.agent.js';
export { McpConnection, type McpOptions } from './mcp.connection.js';
export { McpError } from './mcp.error.js';
export { McpModule } from './mcp.module.js';
export type { McpModuleInput } from './mcp.options.js';
export { readMcpTarget, type McpTarget } from './mcp.target.js';
