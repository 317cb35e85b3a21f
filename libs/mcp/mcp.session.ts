import type { CallToolResult, Client } from '@modelcontextprotocol/client';
import { Logger } from '@nestjs/common';
import { describeThrown, LONGEST_TIMER_MS } from '#domain';
import { McpError } from './mcp.error.js';
import { loadMcpLibrary } from './mcp.library.js';
import type { McpServerSpec } from './mcp.server.js';
import { carrierTo, type McpCarrier } from './mcp.transport.js';
import { StderrTail } from './stderr.tail.js';

export type McpTool = Awaited<ReturnType<Client['listTools']>>['tools'][number];

/** A server is told that its session is over, but not waited for. */
const FAREWELL_MS = 1_000;
/** What a server answers that has been restarted and knows nothing of the session; some say 400 for 404. */
const FORGOTTEN = new Set([400, 404]);
/** What a call gets that comes just when the session is closed. */
class SessionOverError extends Error {}

const CURES = {
  command: 'Start it by hand to see what it says',
  url: 'Check that it runs, its address and the headers',
} as const;

const logger = new Logger('Mcp');

/** One connection to a server, from its handshake to its end. */
export class McpSession {
  #onLost: ((why: string) => void) | null = null;
  #onIdle: (() => void) | null = null;
  #running = 0;
  #closed = false;
  #lost: string | null = null;

  private constructor(
    readonly tools: readonly McpTool[],
    private readonly spec: McpServerSpec,
    private readonly client: Client,
    private readonly carrier: McpCarrier,
    stderr: StderrTail,
  ) {
    client.onclose = () => {
      if (this.#closed || this.#lost !== null) return;
      this.#lost = `it has ended${stderr.text}`;
      this.#onLost?.(this.#lost);
    };
  }

  /** @throws McpError saying why there is none */
  static async open(
    spec: McpServerSpec,
    identity: { readonly name: string; readonly version: string },
    timeoutMs: number,
  ): Promise<McpSession> {
    const library = await loadMcpLibrary(spec.label);
    const client = new library.Client(identity);
    const stderr = new StderrTail(spec.secrets);
    client.setNotificationHandler('notifications/tools/list_changed', () => {
      logger.warn(`MCP server ${spec.label} has changed its tools. Agents keep those of the start until the next one.`);
    });
    const carrier = carrierTo(spec, library, stderr);
    try {
      await client.connect(carrier.transport, { timeout: timeoutMs });
      carrier.connected();
      const { tools } = await client.listTools(undefined, { timeout: timeoutMs });
      return new McpSession(tools, spec, client, carrier, stderr);
    } catch (error) {
      await client.close().catch(() => {});
      await carrier.release();
      // Not kept as a cause: it may hold the request with its bearer (case AU-05).
      const why = spec.secrets.hide(describeFault(error));
      throw new McpError(spec.label, `gives no tools: ${why}${stderr.text}`, 'TRANSPORT', {
        cure: CURES[spec.target.kind],
      });
    }
  }

  /** Called once, when the server is gone without `close`. */
  onLost(listener: (why: string) => void): void {
    this.#onLost = listener;
    if (this.#lost !== null) listener(this.#lost);
  }

  /** @throws whatever the library throws: see `describe` */
  async call(tool: McpTool, args: Record<string, unknown>, signal: AbortSignal): Promise<CallToolResult> {
    // The executor has its own limit; this one only keeps the library's shorter default from coming first.
    const options = { signal, timeout: LONGEST_TIMER_MS, toolDefinition: tool };
    if (this.#closed) throw new SessionOverError('Its session is over');
    this.#running++;
    try {
      return await this.client.callTool({ name: tool.name, arguments: args }, options);
    } finally {
      if (--this.#running === 0) this.#onIdle?.();
    }
  }

  /** Whether a call failed because the session is over, here or for the server alone: the tool has then not run. */
  isOver(error: unknown): boolean {
    if (error instanceof SessionOverError) return true;
    return this.sessionId !== undefined && FORGOTTEN.has(statusOf(error) ?? 0);
  }

  describe(error: unknown): string {
    return this.spec.secrets.hide(describeFault(error));
  }

  /** Closes when no call runs any more: each is to get its own answer, and not the end of the session for one. */
  async retire(): Promise<void> {
    while (this.#running > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await this.close();
  }

  /** Ends the server, if it was started here. */
  async close(): Promise<void> {
    this.#closed = true;
    const transport = this.client.transport;
    if (transport && 'terminateSession' in transport && this.sessionId !== undefined) {
      const farewell = (transport.terminateSession as () => Promise<void>).call(transport).catch(() => {});
      await Promise.race([farewell, new Promise((resolve) => setTimeout(resolve, FAREWELL_MS).unref())]);
    }
    await this.client.close().catch(() => {});
    await this.carrier.release();
  }

  private get sessionId(): string | undefined {
    return this.client.transport?.sessionId;
  }
}

/** The library's text alone does not tell what an HTTP server answered, nor why the network failed. */
function describeFault(error: unknown): string {
  const text = describeThrown(error);
  const status = statusOf(error);
  if (status !== undefined) return `HTTP ${status}: ${text}`;
  const { cause } = (error ?? {}) as { readonly cause?: { readonly code?: unknown } };
  if (text !== 'fetch failed' || !cause) return text;
  return `it cannot be reached: ${typeof cause.code === 'string' ? cause.code : describeThrown(cause)}`;
}

function statusOf(error: unknown): number | undefined {
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? status : undefined;
}
