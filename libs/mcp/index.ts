export { McpError } from './mcp.error.js';
export { McpModule } from './mcp.module.js';
export type { McpModuleInput } from './mcp.options.js';
