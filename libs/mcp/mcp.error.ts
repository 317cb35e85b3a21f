import { OsmosisError } from '#domain';

/** An MCP server that is named wrongly, cannot be started or reached, or offers tools that cannot be used. */
export class McpError extends OsmosisError {
  constructor(
    readonly server: string,
    message: string,
    code: 'CONFIG_INVALID' | 'TRANSPORT' | 'DEFINITION_INVALID' = 'CONFIG_INVALID',
    cause?: unknown,
  ) {
    super(code, `MCP server ${server}: ${message}`, { cause, details: { server } });
  }
}
