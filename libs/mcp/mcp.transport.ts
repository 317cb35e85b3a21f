import type { Readable } from 'node:stream';
import type { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type * as Undici from 'undici';
import type { RequestInit } from 'undici';
import { onDemand } from '#domain';
import { endRequests } from './http.requests.js';
import type { McpLibrary } from './mcp.library.js';
import type { McpServerSpec } from './mcp.server.js';
import type { StderrTail } from './stderr.tail.js';

const undici = onDemand<typeof Undici>('undici');

/** What carries the messages to a server. */
export interface McpCarrier {
  readonly transport: Parameters<Client['connect']>[0];
  /** To be called when the client is connected. */
  connected(): void;
  /** To be called when it is closed. */
  release(): Promise<void>;
}

type Fetch = NonNullable<NonNullable<ConstructorParameters<typeof StreamableHTTPClientTransport>[1]>['fetch']>;

/** A thousand calls at once would drown a server in connections; beyond these they wait, within their time limits. */
const MOST_CONNECTIONS = 64;

/** Its standard streams, or HTTP requests. */
export function carrierTo(spec: McpServerSpec, library: McpLibrary, stderr: StderrTail): McpCarrier {
  const { target, env, headers } = spec;
  if (target.kind === 'url') {
    const { Agent, fetch } = undici();
    const agent = new Agent({ connections: MOST_CONNECTIONS, headersTimeout: 0, bodyTimeout: 0 });
    const fetchThere = ((url, init) => fetch(url, { ...(init as RequestInit), dispatcher: agent })) as Fetch;
    const transport = new library.StreamableHTTPClientTransport(target.url, {
      requestInit: { headers },
      fetch: fetchThere,
    });
    return { transport, connected: endRequests(transport), release: () => agent.destroy() };
  }
  const { command, args, cwd } = target;
  const transport = new library.StdioClientTransport({ command, args: [...args], cwd, env, stderr: 'pipe' });
  stderr.follow(transport.stderr as Readable | null);
  sendInTurn(transport);
  return { transport, connected: () => {}, release: async () => {} };
}

/** A full pipe is waited for once: the library would add a listener for each message, and Node would warn of a leak. */
function sendInTurn(transport: StdioClientTransport): void {
  const send = transport.send.bind(transport);
  let last = Promise.resolve();
  transport.send = (message) => {
    const sent = last.then(() => send(message));
    last = sent.catch(() => {});
    return sent;
  };
}
