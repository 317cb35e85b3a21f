import type { Readable } from 'node:stream';
import type { Client } from '@modelcontextprotocol/client';
import { Logger } from '@nestjs/common';
import { defineTool, type RolloutContext, type ToolDescriptor } from '#agent';
import { DefinitionError, describeThrown, formatProblem, type DefinitionProblem, type Secret } from '#domain';
import { McpError } from './mcp.error.js';
import { loadMcpLibrary, type McpLibrary } from './mcp.library.js';
import { readMcpTarget, type McpTarget } from './mcp.target.js';
import { legalNames } from './tool.names.js';
import { readToolResult } from './tool.result.js';

export interface McpOptions {
  /** Where commands run, and relative paths begin. */
  readonly cwd: string;
  /** Milliseconds until the server must have told its tools. Default 30,000. */
  readonly connectTimeoutMs?: number;
  /** Milliseconds one call may take. Default: that of the agent's other tools. */
  readonly toolTimeoutMs?: number;
  /** Environment of a command, beside the few variables that are safe to hand on (PATH, HOME …). */
  readonly env?: Readonly<Record<string, string>>;
  /** Bearer for an address. */
  readonly bearer?: Secret | null;
  /** Name and version that the server is told. */
  readonly client?: { readonly name: string; readonly version: string };
}

/** Lines of a server's stderr that an error shows. */
const MOST_STDERR = 2_000;
/** The executor has its own limit; this one only keeps the library's shorter default from coming first. */
const NO_LIMIT_MS = 2 ** 31 - 1;

type Tool = Awaited<ReturnType<Client['listTools']>>['tools'][number];

/** An MCP server and its tools, made ready for agents: full JSON Schemas, calls side by side, each within its time. */
export class McpConnection {
  private constructor(
    /** As the user named it. */
    readonly name: string,
    readonly tools: readonly ToolDescriptor[],
    private readonly client: Client,
  ) {}

  /**
   * Starts or reaches a server and asks for its tools. Close the connection when done.
   *
   * @param given a command, an address or a directory: see `readMcpTarget`
   * @throws McpError saying what is wrong: the name, the package, the server, its tools
   */
  static async open(given: string, options: McpOptions): Promise<McpConnection> {
    const target = await readMcpTarget(given, options.cwd);
    const library = await loadMcpLibrary(given);
    const client = new library.Client(options.client ?? { name: 'nestjs-osmosis', version: '0' });
    const stderr = new StderrTail();
    try {
      const timeout = options.connectTimeoutMs ?? 30_000;
      await client.connect(transportTo(target, library, options, stderr), { timeout });
      const { tools } = await client.listTools(undefined, { timeout });
      return new McpConnection(given, describeTools(given, tools, client, options.toolTimeoutMs), client);
    } catch (error) {
      await client.close().catch(() => {});
      if (error instanceof McpError) throw error;
      // Not kept as a cause: it may hold the request with its bearer (case AU-05).
      throw new McpError(given, `gives no tools: ${describeFault(error)}${stderr.text}`, 'TRANSPORT');
    }
  }

  /** Ends the server, if it was started here. */
  close(): Promise<void> {
    return this.client.close();
  }
}

function transportTo(
  target: McpTarget,
  library: McpLibrary,
  { env, bearer }: McpOptions,
  stderr: StderrTail,
): Parameters<Client['connect']>[0] {
  if (target.kind === 'url') {
    const headers = bearer ? { authorization: `Bearer ${bearer.reveal()}` } : undefined;
    return new library.StreamableHTTPClientTransport(target.url, { requestInit: { headers } });
  }
  const { command, args, cwd } = target;
  const own = env === undefined ? {} : { env: { ...library.getDefaultEnvironment(), ...env } };
  const transport = new library.StdioClientTransport({ command, args: [...args], cwd, stderr: 'pipe', ...own });
  stderr.follow(transport.stderr as Readable | null);
  return transport;
}

/** The library's text alone does not tell what an HTTP server answered. */
function describeFault(error: unknown): string {
  const status: unknown = error instanceof Error && 'status' in error ? error.status : undefined;
  return typeof status === 'number' ? `HTTP ${status}: ${describeThrown(error)}` : describeThrown(error);
}

function describeTools(
  server: string,
  tools: readonly Tool[],
  client: Client,
  timeoutMs: number | undefined,
): ToolDescriptor[] {
  const names = legalNames(tools.map(({ name }) => name));
  const problems: DefinitionProblem[] = [];
  const described = tools.flatMap((tool) => {
    try {
      return [describeTool(tool, names.get(tool.name) ?? tool.name, client, timeoutMs)];
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (problems.length === 0) return described;
  const list = problems.map((problem) => formatProblem(problem)).join('; ');
  throw new McpError(server, `offers tools that no model can be given: ${list}`, 'DEFINITION_INVALID');
}

function describeTool(tool: Tool, name: string, client: Client, timeoutMs: number | undefined): ToolDescriptor {
  return defineTool({
    name,
    description: tool.description?.trim() || `Tool: ${tool.name}`,
    input: tool.inputSchema,
    timeoutMs,
    // The executor keeps the time and the cancellation; the signal brings both to the server.
    execute: async (input: Record<string, unknown>, ctx: RolloutContext) =>
      readToolResult(
        await client.callTool(
          { name: tool.name, arguments: input },
          { signal: ctx.signal, timeout: NO_LIMIT_MS, toolDefinition: tool },
        ),
      ),
  });
}

/** The end of what a server says of itself: mostly why it did not start. */
class StderrTail {
  private readonly logger = new Logger('Mcp');
  #tail = '';

  follow(stream: Readable | null): void {
    stream?.on('data', (chunk: Buffer) => {
      const text = chunk.toString('utf8');
      this.#tail = (this.#tail + text).slice(-MOST_STDERR);
      this.logger.debug?.(text.trimEnd());
    });
  }

  get text(): string {
    const text = this.#tail.trim();
    return text === '' ? '' : `\nIt said:\n${text}`;
  }
}
