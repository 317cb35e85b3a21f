import type { Readable } from 'node:stream';
import type { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { McpLibrary } from './mcp.library.js';
import type { McpServerSpec } from './mcp.server.js';
import type { StderrTail } from './stderr.tail.js';

type Transport = Parameters<Client['connect']>[0];
type Message = Parameters<StreamableHTTPClientTransport['send']>[0];
type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

/** JSON-RPC leaves -32000 to -32099 to implementations. */
const STREAM_ENDED = { code: -32000, message: 'the connection ended before the answer came' };

/** What carries the messages to a server: its standard streams, or HTTP requests. */
export function transportTo(spec: McpServerSpec, library: McpLibrary, stderr: StderrTail): Transport {
  const { target, env, headers } = spec;
  if (target.kind === 'url') {
    const transport = new library.StreamableHTTPClientTransport(target.url, { requestInit: { headers } });
    answerWhenStreamsEnd(transport);
    return transport;
  }
  const { command, args, cwd } = target;
  const transport = new library.StdioClientTransport({ command, args: [...args], cwd, env, stderr: 'pipe' });
  stderr.follow(transport.stderr as Readable | null);
  return transport;
}

/**
 * The library waits on when a server dies in the middle of an answer that it sends as a stream. Ending such a call here
 * spares the rollout the tool's whole time limit. After a complete answer the library ignores the second one.
 */
function answerWhenStreamsEnd(transport: StreamableHTTPClientTransport): void {
  const send = transport.send.bind(transport);
  transport.send = (message: Message, options: SendOptions) => {
    if (!('id' in message) || !('method' in message)) return send(message, options);
    const { id } = message;
    return send(message, {
      ...options,
      onRequestStreamEnd: () => transport.onmessage?.({ jsonrpc: '2.0', id, error: STREAM_ENDED }),
    });
  };
}
