import { Logger } from '@nestjs/common';
import { backoffDelayMs, describeThrown, type Clock } from '#domain';
import type { McpSession } from './mcp.session.js';

/** Spaces the attempts after the first, which is made at once. */
const POLICY = { baseDelayMs: 250, maxDelayMs: 30_000 };
/** A session that lived so long shows that the server works; the next loss is the first again. */
const STEADY_MS = 10_000;

/**
 * The session with one server. When it is lost, the next call opens another; attempts have growing pauses. Without calls
 * nothing is opened: Ctrl-C in a terminal ends the servers before us, and must not start them again.
 */
export class McpLink {
  private readonly logger = new Logger('Mcp');
  readonly #retiring = new Set<McpSession>();
  #session: McpSession | null = null;
  #opening: Promise<McpSession> | null = null;
  #openedAt = 0;
  #failures = 0;
  #notBefore = 0;
  #why = '';
  #closed = false;

  /** @param open opens a session; rejects with the reason */
  constructor(
    private readonly label: string,
    private readonly open: () => Promise<McpSession>,
    private readonly clock: Clock,
  ) {}

  /** @throws what `open` throws */
  async start(): Promise<McpSession> {
    return this.use(await this.open());
  }

  /**
   * The session, or the one that is being opened. In a pause between two attempts there is none: waiting would make every
   * rollout stand still with the server.
   *
   * @throws Error that tells the model there is none; the log has the reason
   */
  async session(): Promise<McpSession> {
    const session = this.#session ?? this.#opening;
    if (session) return session;
    if (this.#closed || this.clock.monotonic() < this.#notBefore) throw down();
    return (this.#opening = this.reopen());
  }

  /** Drops a session that turned out to be dead. Calls that still run in it are left to end. */
  lose(session: McpSession, why: string): void {
    if (this.#session !== session) return;
    this.#session = null;
    this.#why = why;
    this.#retiring.add(session);
    void session.retire().finally(() => this.#retiring.delete(session));
    if (this.clock.monotonic() - this.#openedAt >= STEADY_MS) this.#failures = 0;
    if (this.#failures > 0) this.pause();
    this.#failures++;
  }

  async close(): Promise<void> {
    this.#closed = true;
    const session = this.#session ?? (await this.#opening?.catch(() => null));
    this.#session = null;
    const open = session ? [session, ...this.#retiring] : [...this.#retiring];
    await Promise.all(open.map((each) => each.close()));
  }

  private async reopen(): Promise<McpSession> {
    this.logger.warn(`MCP server ${this.label}: ${this.#why}. It is opened again.`);
    try {
      const session = this.use(await this.open());
      this.logger.log(`MCP server ${this.label} is back.`);
      return session;
    } catch (error) {
      this.#why = 'it could not be opened';
      this.#failures++;
      this.logger.warn(`${describeThrown(error)} Calls fail for ${this.pause()} ms; the next one tries again.`);
      throw down();
    } finally {
      this.#opening = null;
    }
  }

  /** Gives the milliseconds until the next attempt. */
  private pause(): number {
    const delayMs = Math.round(backoffDelayMs(POLICY, this.#failures));
    this.#notBefore = this.clock.monotonic() + delayMs;
    return delayMs;
  }

  private use(session: McpSession): McpSession {
    this.#session = session;
    this.#openedAt = this.clock.monotonic();
    session.onLost((why) => this.lose(session, why));
    return session;
  }
}

function down(): Error {
  return new Error('The MCP server of this tool is down');
}
