import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { notFound } from './loading.error.js';

/** `-m PATH[:EXPORT]`, taken apart. */
export interface ModulePath {
  readonly path: string;
  readonly exportName: string | undefined;
}

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

/** Splits at the last colon (spec 11.2). A path that exists as it stands is not split, and neither is a drive letter. */
export function splitModulePath(given: string, cwd: string): ModulePath {
  const colon = given.lastIndexOf(':');
  if (given.trim() === '') throw notFound(`The module path is empty. ${FORM}`);
  const isDrive = colon === 1 && /^[A-Za-z]:[\\/]/.test(given);
  if (colon < 0 || isDrive || existsSync(resolve(cwd, given))) return { path: given, exportName: undefined };
  const [path, exportName] = [given.slice(0, colon), given.slice(colon + 1)];
  if (path === '' || !IDENTIFIER.test(exportName)) {
    throw notFound(`Invalid module path '${given}': '${exportName}' is no name of an export. ${FORM}`);
  }
  return { path, exportName };
}

const FORM = "Expected format: 'path' or 'path:export', like src/my.agent.ts:MyAgent.";
