import { parseToolArguments, ToolArgumentError, type ToolCall } from '#domain';

/**
 * The arguments of a call as an object, ready for the tool's check. Blank, missing and `null` arguments are no arguments
 * (cases TC-06, TC-07); an object in place of JSON text is taken (TC-05). Everything else must be the JSON text of an
 * object: nothing is repaired or guessed (TC-03, TC-04, TC-19).
 *
 * @throws ToolArgumentError that tells the model what it sent
 */
export function readArguments(call: ToolCall): Record<string, unknown> {
  const args: unknown = call.function?.arguments;
  if (args === undefined || args === null) return {};
  // A tool that changes its input must not change the history that the trainer sees.
  if (typeof args === 'object' && !Array.isArray(args)) return structuredClone(args) as Record<string, unknown>;
  if (typeof args === 'string') {
    const text = args.trim();
    if (text === '' || text === 'null') return {};
  }
  try {
    return parseToolArguments(args);
  } catch (error) {
    if (!(error instanceof ToolArgumentError)) throw error;
    throw new ToolArgumentError(`${error.message}. Send one JSON object, e.g. {"name": "value"}`);
  }
}
