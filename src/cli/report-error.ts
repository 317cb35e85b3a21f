import type { CommandContext } from './command-context.js';

/** What an error looks like to the program's caller. */
export interface ReportedError {
  readonly code: string;
  readonly message: string;
  readonly exitCode: number;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly stack?: string;
}

type ErrorContext = Pick<CommandContext, 'stdout' | 'stderr' | 'json' | 'debug' | 'paint' | 'version'>;

/**
 * One line on stderr, `Error: <what>. <cure>`; with `--json` one envelope on stdout instead. The stack comes with
 * `--debug` only. Returns the exit code.
 */
export function reportError(context: ErrorContext, command: string | null, error: ReportedError): number {
  const { code, message, exitCode, details, stack } = error;
  if (context.json) {
    const shown = { code, message, exitCode, ...(details && { details }), ...(context.debug && stack && { stack }) };
    const envelope = { schemaVersion: 1, ok: false, command, version: context.version, error: shown };
    context.stdout.write(`${JSON.stringify(envelope)}\n`);
    return exitCode;
  }
  context.stderr.write(`${context.paint.stderr('red', 'Error:')} ${message}\n`);
  if (context.debug && stack) context.stderr.write(`${stack}\n`);
  return exitCode;
}

/** Turns whatever was thrown into what is reported. Loads #domain, so only when something went wrong. */
export async function describeError(thrown: unknown): Promise<ReportedError> {
  const { describeThrown, EXIT, OsmosisError } = await import('#domain');
  const stack = thrown instanceof Error ? withCauses(thrown) : undefined;
  if (OsmosisError.is(thrown)) {
    const { code, message, exitCode, details } = thrown;
    return { code, message, exitCode, stack, ...(Object.keys(details).length > 0 && { details }) };
  }
  const message = `${describeThrown(thrown)}. This was not expected; --debug shows where it comes from.`;
  return { code: 'INTERNAL', message, exitCode: EXIT.failure, stack };
}

function withCauses(error: Error): string {
  const parts = [error.stack ?? error.message];
  for (let cause = error.cause; cause instanceof Error && parts.length < 5; cause = cause.cause) {
    parts.push(`Caused by: ${cause.stack ?? cause.message}`);
  }
  return parts.join('\n');
}
