import { OsmosisError } from '#domain';

const CURES = {
  CONFIG_INVALID: 'Name a command, an http(s) address, or a directory with a main file',
  TRANSPORT: 'Check that it runs',
  DEFINITION_INVALID: "Mend the server's tools, or leave the server out",
} as const;

/** An MCP server that is named wrongly, cannot be started or reached, or offers tools that cannot be used. */
export class McpError extends OsmosisError {
  /** What to do. */
  readonly cure: string;

  constructor(
    readonly server: string,
    readonly what: string,
    code: keyof typeof CURES = 'CONFIG_INVALID',
    options: { readonly cause?: unknown; readonly cure?: string } = {},
  ) {
    const cure = options.cure ?? CURES[code];
    super(code, `MCP server ${server}: ${what}. ${cure}.`, { cause: options.cause, details: { server } });
    this.cure = cure;
  }
}
