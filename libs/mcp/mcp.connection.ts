import type { McpServer, RolloutContext, ToolDescriptor } from '#agent';
import { systemClock, type Clock, type Secret } from '#domain';
import { McpLink } from './mcp.link.js';
import { readMcpServer, type McpServerSpec } from './mcp.server.js';
import { McpSession, type McpTool } from './mcp.session.js';
import { describeTools, warnOfChanges } from './mcp.tools.js';
import { readToolResult } from './tool.result.js';

export interface McpOptions {
  /** Where commands run, and relative paths begin. */
  readonly cwd: string;
  /** Milliseconds until the server must have told its tools. Default 30,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds one call may take, unless the server says otherwise. Default: that of the agent's other tools. */
  readonly toolTimeoutMs?: number;
  /** Environment of a command, beside the few variables that are safe to hand on (PATH, HOME …). */
  readonly env?: Readonly<Record<string, string>>;
  /** Bearer for an address. */
  readonly bearer?: Secret | null;
  /** Name and version that the server is told. */
  readonly client?: { readonly name: string; readonly version: string };
  readonly clock?: Clock;
}

/**
 * An MCP server and its tools, made ready for agents: full JSON Schemas, calls side by side, each within its time. A
 * server that dies is opened again; calls meanwhile fail with the reason. The tools stay those of the first opening,
 * because all rollouts of a training run must be offered the same.
 */
export class McpConnection {
  private readonly link: McpLink;
  #offered: readonly McpTool[] | null = null;
  #tools: readonly ToolDescriptor[] = [];

  private constructor(
    private readonly spec: McpServerSpec,
    options: McpOptions,
  ) {
    const {
      client = { name: 'nestjs-osmosis', version: '0' },
      connectTimeoutMs = 30_000,
      clock = systemClock,
    } = options;
    const open = async (): Promise<McpSession> => {
      const session = await McpSession.open(spec, client, connectTimeoutMs);
      if (this.#offered) warnOfChanges(spec.label, this.#offered, session.tools);
      this.#offered ??= session.tools;
      return session;
    };
    this.link = new McpLink(spec.label, open, clock);
  }

  /**
   * Starts or reaches a server and asks for its tools. Close the connection when done.
   *
   * @throws McpError saying what is wrong: the name, the package, the server, its tools
   */
  static async open(server: McpServer, options: McpOptions): Promise<McpConnection> {
    const { cwd, env = {}, bearer, toolTimeoutMs: timeoutMs } = options;
    const headers = bearer ? { authorization: `Bearer ${bearer.reveal()}` } : {};
    const spec = await readMcpServer(server, { cwd, env, headers, timeoutMs });
    const connection = new McpConnection(spec, options);
    const { tools } = await connection.link.start();
    try {
      connection.#tools = describeTools(spec, tools, (tool, args, ctx) => connection.call(tool, args, ctx));
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  /** As messages name the server. */
  get name(): string {
    return this.spec.label;
  }

  get tools(): readonly ToolDescriptor[] {
    return this.#tools;
  }

  /** Ends the server, if it was started here. */
  close(): Promise<void> {
    return this.link.close();
  }

  /** @throws Error that tells the model what failed */
  private async call(tool: McpTool, args: Record<string, unknown>, ctx: RolloutContext): Promise<unknown> {
    for (let repeated = false; ; repeated = true) {
      const session = await this.link.session();
      const result = await session.call(tool, args, ctx.signal).catch((error: unknown) => {
        if (!repeated && session.isOver(error)) return null;
        throw new Error(`The MCP server of this tool failed: ${session.describe(error)}`);
      });
      if (result) return readToolResult(result);
      this.link.lose(session, 'it has forgotten the session');
    }
  }
}
