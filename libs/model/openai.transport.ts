import type { OpenAI } from 'openai';
import { LONGEST_TIMER_MS, systemClock, type Cancellation, type Clock } from '#domain';
import { timeoutError } from './provider.error.js';
import { connectionFault } from './connection.fault.js';
import { readReply, type ProviderReply } from './provider.reply.js';
import type { HttpConnections } from './http.connections.js';
import { fetchOver } from './http.fetch.js';
import type { ResolvedModel } from './model.resolver.js';
import type { ModelTransport } from './model.transport.js';

/** The SDK refuses to be made without a key; for keyless servers its header is taken out again. */
const NO_KEY = 'none';

/** One request through the `openai` client, whose own retries are off. */
export class OpenAiTransport implements ModelTransport {
  #client: Promise<OpenAI> | null = null;

  constructor(
    private readonly model: ResolvedModel,
    private readonly connections: HttpConnections,
    private readonly clock: Clock = systemClock,
  ) {}

  async post(path: string, body: object, cancellation: Cancellation): Promise<Record<string, unknown>> {
    cancellation.throwIfCancelled();
    const controller = new AbortController();
    let isTimeout = false;
    const timer = this.clock.after(this.model.timeoutMs, () => {
      isTimeout = true;
      controller.abort();
    });
    const listening = cancellation.onCancel(() => controller.abort());
    try {
      const reply = await this.exchange(path, body, controller.signal);
      return readReply(reply, this.model, this.clock.now());
    } catch (error) {
      cancellation.throwIfCancelled();
      if (isTimeout) throw timeoutError(this.model);
      throw connectionFault(error, this.model);
    } finally {
      timer.stop();
      listening.leave();
    }
  }

  private async exchange(path: string, body: object, signal: AbortSignal): Promise<ProviderReply> {
    const client = await (this.#client ??= this.createClient());
    const response = await client.post(path, { body, signal }).asResponse();
    return readResponse(response);
  }

  private async createClient(): Promise<OpenAI> {
    // Loaded when first used: a server without hosted models does not pay for it.
    const { OpenAI } = await import('openai');
    const { key, baseUrl, definition } = this.model;
    const send = fetchOver(this.connections.dispatcher);
    const keyInOwnHeader = definition.keyHeader === 'api-key';
    return new OpenAI({
      apiKey: key?.reveal() ?? NO_KEY,
      adminAPIKey: null,
      organization: null,
      project: null,
      webhookSecret: null,
      baseURL: baseUrl,
      maxRetries: 0,
      // The limit is ours, and covers the body as well. A second timer could come first after a process was stopped.
      timeout: LONGEST_TIMER_MS,
      logLevel: 'off',
      defaultHeaders: {
        'User-Agent': 'nestjs-osmosis',
        ...((!key || keyInOwnHeader) && { Authorization: null }),
        ...(key && keyInOwnHeader && { 'api-key': key.reveal() }),
      },
      fetch: async (input, init) => asSuccess(await send(input, init)),
    });
  }
}

/** Where the real status travels while the SDK believes in success. */
const STATUS_HEADER = 'x-osmosis-status';

/**
 * The SDK keeps only one shape of error bodies; Google's lists, Mistral's flat objects and proxies' HTML would be lost. So
 * it is shown every answer as a success, and the status is read again afterwards.
 */
function asSuccess(response: Response): Response {
  const headers = new Headers(response.headers);
  headers.set(STATUS_HEADER, String(response.status));
  // The body is decoded by now; the SDK must not trust a length of the encoded one.
  headers.delete('content-length');
  headers.delete('content-encoding');
  return new Response(response.body, { status: 200, headers });
}

async function readResponse(response: Response): Promise<ProviderReply> {
  return {
    status: Number(response.headers.get(STATUS_HEADER)),
    contentType: response.headers.get('content-type') ?? '',
    retryAfter: response.headers.get('retry-after'),
    location: response.headers.get('location'),
    text: await response.text(),
  };
}
