import type * as Undici from 'undici';
import { onDemand } from '#domain';

const undici = onDemand<typeof Undici>('undici');

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** The SDK's own telemetry headers, and those it reads from variables meant for OpenAI, go to nobody. */
const SENT_HEADERS = new Set(['accept', 'authorization', 'api-key', 'content-type', 'user-agent']);

/** What the `openai` client is to send with: over our connections, and without following redirects. */
export function fetchOver(dispatcher: Undici.Dispatcher): Fetch {
  return async (input, init = {}) => {
    const headers = [...new Headers(init.headers)].filter(([name]) => SENT_HEADERS.has(name));
    const request = { method: init.method, body: init.body, signal: init.signal };
    // Undici's types and the global ones describe the same objects under different names.
    const options = { ...request, headers, redirect: 'manual', dispatcher } as Undici.RequestInit;
    return undici().fetch(input instanceof Request ? input.url : input, options);
  };
}
