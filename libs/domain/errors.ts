import { OsmosisError, type OsmosisErrorOptions } from './osmosis.error.js';

/** A wrong decorator, class or name in the user's code. Lists every problem found, not the first. */
export class DefinitionError extends OsmosisError {
  constructor(readonly problems: readonly DefinitionProblem[]) {
    const lines = problems.map((problem) => `  - ${formatProblem(problem)}`);
    const count = problems.length === 1 ? '1 problem' : `${problems.length} problems`;
    super('DEFINITION_INVALID', `Cannot start: ${count} in agent definitions.\n${lines.join('\n')}`, {
      details: { problems },
    });
  }
}

export interface DefinitionProblem {
  /** Stable name of the rule that is broken, e.g. `TOOL_INPUT_MISSING`. */
  readonly code: string;
  /** `Class.method`, or `Class`. */
  readonly where: string;
  /** The Nest module that provides the class, when known. */
  readonly module?: string;
  readonly what: string;
  readonly cure: string;
}

export function formatProblem(problem: DefinitionProblem): string {
  const module = problem.module ? ` (${problem.module})` : '';
  return `${problem.where}${module}: ${problem.what}. ${problem.cure}`;
}

export class AgentNotFoundError extends OsmosisError {
  constructor(
    readonly agent: string,
    readonly available: readonly string[],
    hint = '',
  ) {
    const known = available.length > 0 ? available.map((name) => `'${name}'`).join(', ') : 'none';
    super('AGENT_NOT_FOUND', `Agent '${agent}' not found. Known agents: ${known}.${hint}`, {
      details: { agent, available },
    });
  }
}

interface ToolErrorOptions extends OsmosisErrorOptions {
  readonly toolCallId?: string;
  readonly toolName?: string;
}

/** A tool that could not be run to its end. */
export class ToolExecutionError extends OsmosisError {
  readonly toolCallId: string;
  readonly toolName: string;

  constructor(
    message: string,
    options: ToolErrorOptions = {},
    code: 'TOOL_EXECUTION' | 'TOOL_ARGUMENT' | 'TOOL_TIMEOUT' = 'TOOL_EXECUTION',
  ) {
    super(code, message, options);
    this.toolCallId = options.toolCallId ?? '';
    this.toolName = options.toolName ?? '';
  }
}

/** The arguments of a tool call are no JSON object. */
export class ToolArgumentError extends ToolExecutionError {
  constructor(message: string, options: ToolErrorOptions = {}) {
    super(message, options, 'TOOL_ARGUMENT');
  }
}

interface PeerErrorOptions extends OsmosisErrorOptions {
  /** How long the peer asked us to wait, in milliseconds. */
  readonly retryAfterMs?: number;
  readonly status?: number;
}

/** Base of everything that can go wrong between us and another HTTP server. */
export class PeerError extends OsmosisError {
  readonly retryAfterMs: number | undefined;
  readonly status: number | undefined;

  constructor(
    code: 'TRANSPORT' | 'TIMEOUT' | 'PEER_ERROR' | 'PEER_REFUSED' | 'PROTOCOL',
    message: string,
    options: PeerErrorOptions = {},
  ) {
    super(code, message, options);
    this.retryAfterMs = options.retryAfterMs;
    this.status = options.status;
  }
}

/** The peer could not be reached, or the connection broke. */
export class TransportError extends PeerError {
  constructor(message: string, options: PeerErrorOptions = {}) {
    super('TRANSPORT', message, options);
  }
}

/** The peer did not answer in time. */
export class PeerTimeoutError extends PeerError {
  constructor(message: string, options: PeerErrorOptions = {}) {
    super('TIMEOUT', message, options);
  }
}

/** The peer answered with a status that is no success. Retryable for 408, 425, 429 and 5xx. */
export class PeerStatusError extends PeerError {
  constructor(message: string, options: PeerErrorOptions & { readonly status: number }) {
    const retryable = isRetryableStatus(options.status);
    super(retryable ? 'PEER_ERROR' : 'PEER_REFUSED', message, { retryable, ...options });
  }
}

/** The peer answered with a success that cannot be read as what was asked for. */
export class ProtocolError extends PeerError {
  constructor(message: string, options: PeerErrorOptions = {}) {
    super('PROTOCOL', message, options);
  }
}

export function isRetryableStatus(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500;
}
