import { resolve } from 'node:path';
import { OsmosisError } from '#domain';
import type { CommandContext } from '../../cli/command-context.js';
import type { ParsedOptions } from '../../cli/parsed-options.js';
import { readEvaluationOptions, type EvaluationOptions } from '../../evaluation/evaluation-options.js';

export interface TestOptions extends EvaluationOptions {
  /** Absolute path of the JSON results; null when they are not written. */
  readonly output: string | null;
  readonly interactive: boolean;
  /** Row that the interactive session begins with. */
  readonly row: number | undefined;
}

/** @throws OsmosisError USAGE, also for options that have no meaning together */
export function readTestOptions(options: ParsedOptions, { cwd, json }: CommandContext): TestOptions {
  const interactive = options.flag('interactive');
  const row = options.integer('row');
  const output = options.text('output');
  if (row !== undefined && !interactive)
    throw usage('--row needs --interactive; --offset and --limit choose rows without it.');
  if (interactive && json) throw usage('--json and --interactive exclude each other: a session is no document.');
  if (interactive && output !== undefined) {
    throw usage('--output and --interactive exclude each other. In a session, s FILE saves a conversation.');
  }
  return {
    ...readEvaluationOptions(options),
    output: output === undefined ? null : resolve(cwd, output),
    interactive,
    row,
  };
}

function usage(message: string): OsmosisError {
  return new OsmosisError('USAGE', message);
}
