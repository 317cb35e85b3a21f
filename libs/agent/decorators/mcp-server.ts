/** What holds for a server, however it is reached. */
interface McpServerSettings {
  /** Put before the names of its tools, so that those of two servers do not clash: `files_`. Default: nothing. */
  readonly prefix?: string;
  /** Milliseconds one call may take. Default: the module's `tools.timeoutMs`. */
  readonly timeoutMs?: number;
}

/** A server that is started here, and speaks on its standard streams. */
export interface McpCommand extends McpServerSettings {
  /** The program. Without `args` it is read as the short form: words, an address or a directory. */
  readonly command: string;
  readonly args?: readonly string[];
  /** Its environment, beside the few variables that are safe to hand on (PATH, HOME …). The place for its secrets. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Where it runs. Default: where this process runs. */
  readonly cwd?: string;
}

/** A server that runs elsewhere (Streamable HTTP). */
export interface McpAddress extends McpServerSettings {
  readonly url: string;
  /** Sent with each request, e.g. `authorization`. Never logged. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/**
 * A server whose tools an agent gets. As a text: a name from `OsmosisModule`'s `mcp.servers`, an `http(s)` address, a
 * directory with a `main.py`, `main.ts`, `main.mjs` or `main.js`, or a command with its arguments.
 */
export type McpServer = string | McpCommand | McpAddress;
