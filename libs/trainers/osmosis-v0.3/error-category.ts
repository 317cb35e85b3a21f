import type { Failure } from '#domain';

/** The wire's reasons. `http_error` is in its vocabulary, too, but nothing gives it (spec 1.8). */
export type ErrorCategory = 'timeout' | 'validation_error' | 'agent_error';

const TIMEOUTS: ReadonlySet<string> = new Set(['DEADLINE', 'TIMEOUT', 'TOOL_TIMEOUT', 'REWARD_TIMEOUT']);
const INVALID: ReadonlySet<string> = new Set([
  'REQUEST_INVALID',
  'TOOL_ARGUMENT',
  'REWARD_NOT_A_NUMBER',
  'REWARD_OUT_OF_RANGE',
]);
/** Where Python has ValueError, TypeError, AssertionError, and the errors of its schema libraries. */
const INVALID_ERRORS = /^(?:Type|Range|Syntax|Assertion|Validation|Zod)Error$/;

/** Spec 1.11.2: time-outs, the user's own included; what was not as it should be; everything else. */
export function errorCategory({ code, errorName = '' }: Failure): ErrorCategory {
  if (TIMEOUTS.has(code) || errorName === 'TimeoutError') return 'timeout';
  return INVALID.has(code) || INVALID_ERRORS.test(errorName) ? 'validation_error' : 'agent_error';
}
