import { Logger } from '@nestjs/common';
import { backoffDelayMs, describeThrown, type Clock } from '#domain';
import type { McpSession } from './mcp.session.js';

/** Spaces the attempts after the first, which is made at once. */
const POLICY = { baseDelayMs: 250, maxDelayMs: 30_000 };
/** A session that lived so long shows that the server works; the next loss is the first again. */
const STEADY_MS = 10_000;

/** Keeps a session with one server: when it is lost, a new one is opened, with growing delays, until `close`. */
export class McpLink {
  private readonly logger = new Logger('Mcp');
  #session: McpSession | null = null;
  #opening: Promise<McpSession> | null = null;
  #openedAt = 0;
  #failures = 0;
  #why = '';
  #stopWaiting = (): void => {};
  #closed = false;

  /** @param open opens a session; rejects with the reason */
  constructor(
    private readonly label: string,
    private readonly open: () => Promise<McpSession>,
    private readonly clock: Clock,
  ) {}

  /** @throws what `open` throws; the server is then not tried again */
  async start(): Promise<McpSession> {
    return this.use(await this.open());
  }

  /**
   * The session. One that is being opened is waited for; between two attempts it is not, or every rollout would stand
   * still with the server.
   *
   * @throws Error that tells the model there is none; the log has the reason
   */
  async session(): Promise<McpSession> {
    const session = this.#session ?? this.#opening;
    if (session) return session;
    throw new Error('The MCP server of this tool is down');
  }

  /** Drops a session that turned out to be dead, and opens another. */
  lose(session: McpSession, why: string): void {
    if (this.#session !== session) return;
    this.#session = null;
    this.#why = why;
    this.logger.warn(`MCP server ${this.label}: ${why}. It is opened again.`);
    void session.close();
    if (this.clock.monotonic() - this.#openedAt >= STEADY_MS) this.#failures = 0;
    if (this.#failures++ === 0) this.reopen();
    else this.reopenLater();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stopWaiting();
    const session = this.#session ?? (await this.#opening?.catch(() => null));
    this.#session = null;
    await session?.close();
  }

  private reopen(): void {
    this.#opening = this.open().then((session) => {
      this.#opening = null;
      if (!this.#closed) this.logger.log(`MCP server ${this.label} is back.`);
      return this.use(session);
    });
    this.#opening.catch((error: unknown) => {
      this.#opening = null;
      this.#why = describeThrown(error);
      this.#failures++;
      this.reopenLater();
    });
  }

  private reopenLater(): void {
    if (this.#closed) return;
    const delayMs = backoffDelayMs(POLICY, this.#failures);
    this.logger.warn(`MCP server ${this.label}: tried again in ${Math.round(delayMs)} ms. ${this.#why}`);
    this.#stopWaiting = this.clock.after(delayMs, () => this.reopen());
  }

  private use(session: McpSession): McpSession {
    this.#session = session;
    this.#openedAt = this.clock.monotonic();
    session.onLost((why) => this.lose(session, why));
    return session;
  }
}
