import { OsmosisError } from '#domain';
import { EvalFunction } from './eval.function.js';

/** Imports a module of the user's, whatever language it is in: the host's own loader. */
export type ImportModule = (path: string) => Promise<Readonly<Record<string, unknown>>>;

/**
 * The eval functions named `path:export`, split at the last colon (spec F.8).
 *
 * @throws OsmosisError USAGE for a path without an export, one that is named twice or does not exist; DEFINITION_INVALID
 *   for an export that is no eval function; whatever the import throws
 */
export async function loadEvalFunctions(paths: readonly string[], load: ImportModule): Promise<EvalFunction[]> {
  const twice = paths.find((path, index) => paths.indexOf(path) !== index);
  if (twice !== undefined) throw usage(`The eval function ${twice} is named twice. Name each once.`);
  const functions: EvalFunction[] = [];
  for (const path of paths) functions.push(await loadEvalFunction(path, load));
  return functions;
}

async function loadEvalFunction(path: string, load: ImportModule): Promise<EvalFunction> {
  const colon = path.lastIndexOf(':');
  const [file, name] = [path.slice(0, colon), path.slice(colon + 1)];
  if (colon < 1 || name === '')
    throw usage(`'${path}' names no eval function. Write path:export, like src/score.ts:exact.`);
  const exports = await load(file);
  if (!Object.hasOwn(exports, name)) {
    throw usage(`${file} has no export '${name}'. Its exports: ${Object.keys(exports).join(', ') || 'none'}.`);
  }
  return EvalFunction.of(path, exports[name]);
}

function usage(message: string): OsmosisError {
  return new OsmosisError('USAGE', message);
}
