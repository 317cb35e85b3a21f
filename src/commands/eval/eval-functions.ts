import { loadEvalFunctions, type EvalFunction } from '#evaluation';
import { importModule } from '../../loading/import-module.js';
import { findModuleFile } from '../../loading/module-file.js';

export interface LoadedEvalFunctions {
  readonly functions: readonly EvalFunction[];
  /** Where they come from, absolute. */
  readonly files: readonly string[];
}

/** @throws OsmosisError USAGE or DEFINITION_INVALID for a path that names no eval function */
export async function openEvalFunctions(paths: readonly string[], cwd: string): Promise<LoadedEvalFunctions> {
  const files = new Set<string>();
  const functions = await loadEvalFunctions(paths, (path) => {
    const file = findModuleFile(path, cwd);
    files.add(file);
    return importModule(file);
  });
  return { functions, files: [...files] };
}
