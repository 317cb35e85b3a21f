import type { FailureClass } from './failure.js';

/** CLI exit codes. One meaning each, the same for every command. */
export const EXIT = { ok: 0, failure: 1, usage: 2, configuration: 3, definition: 4, remote: 5 } as const;

interface ErrorRow {
  readonly httpStatus: number;
  readonly exitCode: number;
  /** The failure class of a rollout that ends by this error. */
  readonly failureClass: FailureClass;
  readonly retryable: boolean;
}

function row(httpStatus: number, exitCode: number, failureClass: FailureClass = 'agent', retryable = false): ErrorRow {
  return { httpStatus, exitCode, failureClass, retryable };
}

/** The one table: error code → HTTP status → CLI exit code → failure class and whether a retry may help. */
export const ERROR_TABLE = {
  USAGE: row(400, EXIT.usage),
  CONFIG_INVALID: row(500, EXIT.configuration),
  DATASET_INVALID: row(500, EXIT.failure),
  DEFINITION_INVALID: row(500, EXIT.definition),
  AGENT_NOT_FOUND: row(404, EXIT.definition),
  ROLLOUT_NOT_FOUND: row(404, EXIT.failure),
  UNAUTHORIZED: row(401, EXIT.remote),
  BODY_UNREADABLE: row(400, EXIT.usage),
  BODY_TOO_LARGE: row(413, EXIT.usage),
  REQUEST_INVALID: row(422, EXIT.usage),
  DUPLICATE_CONFLICT: row(409, EXIT.failure),
  OVERLOADED: row(429, EXIT.remote, 'agent', true),
  DRAINING: row(503, EXIT.remote, 'shutdown', true),
  STORE_UNAVAILABLE: row(503, EXIT.failure, 'shutdown', true),
  AGENT_FAILED: row(500, EXIT.failure, 'agent'),
  TOOL_ARGUMENT: row(500, EXIT.failure, 'tool'),
  TOOL_EXECUTION: row(500, EXIT.failure, 'tool'),
  TOOL_TIMEOUT: row(504, EXIT.failure, 'tool', true),
  REWARD_FAILED: row(500, EXIT.failure, 'reward'),
  REWARD_TIMEOUT: row(504, EXIT.failure, 'deadline', true),
  REWARD_NOT_A_NUMBER: row(500, EXIT.failure, 'reward'),
  REWARD_OUT_OF_RANGE: row(500, EXIT.failure, 'reward'),
  JUDGE_FAILED: row(502, EXIT.remote, 'judge', true),
  TRANSPORT: row(502, EXIT.remote, 'transport', true),
  TIMEOUT: row(504, EXIT.remote, 'transport', true),
  PEER_ERROR: row(502, EXIT.remote, 'model', true),
  PEER_REFUSED: row(502, EXIT.remote, 'model', false),
  PROTOCOL: row(502, EXIT.remote, 'model', true),
  DEADLINE: row(504, EXIT.failure, 'deadline', true),
  CANCELLED: row(499, EXIT.failure, 'cancelled', false),
  SHUTDOWN: row(503, EXIT.failure, 'shutdown', true),
  INTERNAL: row(500, EXIT.failure, 'agent'),
  LOGIN_FAILED: row(401, EXIT.failure, 'transport'),
  AUTH_REQUIRED: row(401, EXIT.failure, 'transport'),
  AUTH_EXPIRED: row(401, EXIT.failure, 'transport'),
  AUTH_REJECTED: row(401, EXIT.failure, 'transport'),
  CREDENTIALS_INVALID: row(500, EXIT.failure, 'transport'),
  CREDENTIALS_UNAVAILABLE: row(500, EXIT.failure, 'transport'),
  WORKSPACE_NOT_FOUND: row(404, EXIT.failure, 'transport'),
  PUBLIC_ADDRESS_UNKNOWN: row(502, EXIT.remote, 'transport', true),
  ADDRESS_UNAVAILABLE: row(500, EXIT.failure),
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof ERROR_TABLE;

/** Registered, so that two copies of the package recognise each other's errors. */
const MARK: unique symbol = Symbol.for('nestjs-osmosis:error') as never;

export interface OsmosisErrorOptions {
  readonly cause?: unknown;
  /** Overrides the table's row. */
  readonly retryable?: boolean;
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Base of every error this package throws on purpose. The message says what failed, where, why, and what to do. */
export class OsmosisError extends Error {
  readonly [MARK] = true;
  readonly retryable: boolean;
  /** Structured facts; holds no secrets. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: OsmosisErrorOptions = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = new.target.name;
    this.retryable = options.retryable ?? ERROR_TABLE[code].retryable;
    this.details = options.details ?? {};
  }

  get httpStatus(): number {
    return ERROR_TABLE[this.code].httpStatus;
  }

  get exitCode(): number {
    return ERROR_TABLE[this.code].exitCode;
  }

  static is(error: unknown): error is OsmosisError {
    return typeof error === 'object' && error !== null && MARK in error;
  }
}
