import { OsmosisError, type ChatParams } from '#domain';
import { strictJson } from '../transport/index.js';

/**
 * A chat parameter as JSON text.
 *
 * @throws OsmosisError REQUEST_INVALID when it has no JSON form
 */
export function chatParamJson(params: ChatParams, name: string): string {
  try {
    return strictJson(params[name]);
  } catch {
    return refuseChatParam(name, 'a value that has a JSON form', params[name]);
  }
}

/** @throws OsmosisError REQUEST_INVALID naming the parameter */
export function refuseChatParam(name: string, wanted: string, given: unknown): never {
  throw new OsmosisError(
    'REQUEST_INVALID',
    `Chat parameter '${name}' must be ${wanted}, not ${shown(given)}. No request was sent. ` +
      "Mend it in the call, or in the rollout's completion_params.",
    { details: { parameter: name } },
  );
}

function shown(given: unknown): string {
  if (typeof given === 'string') return `the text ${JSON.stringify(given.slice(0, 80))}`;
  if (typeof given === 'number') return String(given);
  return Array.isArray(given) ? 'a list' : `of type ${typeof given}`;
}
