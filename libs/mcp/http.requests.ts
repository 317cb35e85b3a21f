import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

type Transport = Pick<StreamableHTTPClientTransport, 'send' | 'onmessage'>;
type Message = Parameters<Transport['send']>[0];
type SendOptions = Parameters<Transport['send']>[1];

/** JSON-RPC leaves -32000 to -32099 to implementations. */
const STREAM_ENDED = { code: -32000, message: 'the connection ended before the answer came' };

/**
 * Gives each HTTP request of a transport an end of its own, which the library does not:
 *
 * - A server that dies in the middle of an answer ends the call, which would else wait for its whole time limit.
 * - A cancelled call closes its request: a server without sessions cannot be told in another way.
 * - No request listens to the one signal of the transport, where listeners pile up until the garbage is collected.
 *
 * @param transport not yet connected. Call what is returned when it is
 */
export function endRequests(transport: Transport): () => void {
  const open = new Map<unknown, AbortController>();
  const send = transport.send.bind(transport);
  transport.send = async (message: Message, options: SendOptions) => {
    if (!('method' in message)) return send(message, options);
    if (!('id' in message)) {
      await send(message, options);
      if (message.method === 'notifications/cancelled') end(message.params?.['requestId']);
      return;
    }
    const { id } = message;
    const controller = new AbortController();
    open.set(id, controller);
    const onRequestStreamEnd = (): void => {
      if (open.has(id)) transport.onmessage?.({ jsonrpc: '2.0', id, error: STREAM_ENDED });
    };
    try {
      await send(message, { ...options, requestSignal: controller.signal, onRequestStreamEnd });
    } catch (error) {
      open.delete(id);
      throw error;
    }
  };
  const end = (id: unknown): void => {
    open.get(id)?.abort();
    open.delete(id);
  };
  return () => {
    const deliver = transport.onmessage;
    transport.onmessage = (message) => {
      if ('id' in message && !('method' in message)) open.delete(message.id);
      deliver?.(message);
    };
  };
}
