import type { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { McpError } from './mcp.error.js';

/** What we use of `@modelcontextprotocol/client`. */
export interface McpLibrary {
  readonly Client: typeof Client;
  readonly StdioClientTransport: typeof StdioClientTransport;
  readonly StreamableHTTPClientTransport: typeof StreamableHTTPClientTransport;
  /** The few variables of ours that are safe to hand on. */
  readonly getDefaultEnvironment: typeof getDefaultEnvironment;
}

/**
 * An optional peer, loaded when used.
 *
 * @throws McpError telling how to install it
 */
export async function loadMcpLibrary(server: string): Promise<McpLibrary> {
  try {
    const [main, stdio] = await Promise.all([
      import('@modelcontextprotocol/client'),
      import('@modelcontextprotocol/client/stdio'),
    ]);
    return {
      Client: main.Client,
      StdioClientTransport: stdio.StdioClientTransport,
      StreamableHTTPClientTransport: main.StreamableHTTPClientTransport,
      getDefaultEnvironment: stdio.getDefaultEnvironment,
    };
  } catch (error) {
    throw new McpError(server, 'needs the package @modelcontextprotocol/client', 'CONFIG_INVALID', {
      cause: error,
      cure: 'Install it: npm install @modelcontextprotocol/client',
    });
  }
}
