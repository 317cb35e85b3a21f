import type { DotenvFile, Environment } from './dotenv.js';
import type { Paint } from './paint.js';

/** Something text can be written to. */
export interface Output {
  write(text: string): unknown;
  /** Width of a terminal. */
  readonly columns?: number;
}

/** All that a command sees of the process it runs in. */
export interface CommandContext {
  /** Results, and nothing else. */
  readonly stdout: Output;
  /** Everything else: notes, warnings, errors, logs. */
  readonly stderr: Output;
  readonly stdin: NodeJS.ReadableStream;
  /** The environment as the process was given it. */
  readonly environment: Environment;
  /** The `.env` file that adds to it, if there is one. */
  readonly dotenv: DotenvFile | null;
  /** Both together, the environment winning. */
  readonly env: Environment;
  readonly cwd: string;
  /** Which of the streams are terminals. */
  readonly terminal: { readonly stdin: boolean; readonly stdout: boolean; readonly stderr: boolean };
  readonly json: boolean;
  readonly quiet: boolean;
  readonly debug: boolean;
  /** Colours for stdout and for stderr. */
  readonly paint: { readonly stdout: Paint; readonly stderr: Paint };
  readonly version: string;
}

/** A line for people, on stderr; not with `--quiet`. */
export function note(context: CommandContext, text: string): void {
  if (!context.quiet && !context.json) context.stderr.write(`${text}\n`);
}

/** A warning on stderr; with `--json` one JSON line (0.3 contract, 5.2). Not with `--quiet`. */
export function warn(context: CommandContext, message: string): void {
  if (context.quiet) return;
  const line = context.json
    ? JSON.stringify({ schemaVersion: 1, warning: { message } })
    : `${context.paint.stderr('yellow', 'Warning:')} ${message}`;
  context.stderr.write(`${line}\n`);
}

/** The result of a command under `--json`: one document, one line. */
export function writeJson(context: CommandContext, command: string, data: object): void {
  context.stdout.write(`${JSON.stringify({ schemaVersion: 1, ok: true, command, data })}\n`);
}
