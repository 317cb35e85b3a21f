import { relative } from 'node:path';
import { Injectable } from '@nestjs/common';
import { importModule, type ModuleExports } from './import-module.js';
import type { LoadedModule } from './loaded-module.js';
import { notFound, notUsable } from './loading.error.js';
import { findModuleFile } from './module-file.js';
import { isAgentClass, isNestModule, readModuleGraph } from './module-graph.js';
import { splitModulePath } from './module-path.js';

interface Candidate {
  readonly name: string;
  readonly value: unknown;
}

/** Finds and imports what `-m PATH[:EXPORT]` names (spec 11.2, with one message for each way to fail). */
@Injectable()
export class ModuleLoader {
  /**
   * @throws OsmosisError USAGE when there is no such file or export, or when it is unclear which is meant;
   *   DEFINITION_INVALID when the module cannot be imported or the export is nothing to serve
   */
  async load(given: string, cwd: string): Promise<LoadedModule> {
    const { path, exportName } = splitModulePath(given, cwd);
    const file = findModuleFile(path, cwd);
    const exports = await importModule(file);
    const shown = relative(cwd, file) || file;
    const { name, value } =
      exportName === undefined ? onlyCandidate(exports, shown) : named(exports, exportName, shown);
    const label = `${shown}:${name}`;
    if (isAgentClass(value)) return { label, file, kind: 'agent', target: value, agents: [value], hasOsmosis: false };
    if (isNestModule(value)) return { label, file, kind: 'module', target: value, ...(await readModuleGraph(value)) };
    throw notUsable(`${label} cannot be served: ${describe(name, value)}`);
  }
}

function named(exports: ModuleExports, name: string, shown: string): Candidate {
  if (Object.hasOwn(exports, name)) return { name, value: exports[name] };
  const names = Object.keys(exports).filter((key) => key !== 'default');
  const available = names.length > 0 ? `Available exports: ${names.join(', ')}.` : 'It exports nothing.';
  throw notFound(`${shown} has no export '${name}'. ${available}`);
}

/** Nest modules come before agent classes: a file that has both means the module. */
function onlyCandidate(exports: ModuleExports, shown: string): Candidate {
  const all = distinct(Object.entries(exports).map(([name, value]) => ({ name, value })));
  const modules = all.filter(({ value }) => isNestModule(value));
  const candidates = modules.length > 0 ? modules : all.filter(({ value }) => isAgentClass(value));
  const [only, ...others] = candidates;
  if (!only) {
    throw notUsable(
      `${shown} exports neither a class with @Agent nor a Nest module. ` +
        `Its exports: ${all.map(({ name }) => name).join(', ') || 'none'}. Add @Agent to the class, and export it.`,
    );
  }
  if (others.length === 0) return only;
  const choices = candidates.map(({ name }) => `${shown}:${name}`).join(', ');
  throw notFound(`${shown} has several candidates. Choose one with -m: ${choices}.`);
}

/** One entry a value: `export default` of a class that is exported by name as well is the same class. */
function distinct(candidates: readonly Candidate[]): Candidate[] {
  const byValue = new Map<unknown, Candidate>();
  for (const candidate of candidates) {
    if (candidate.name !== 'default' || !byValue.has(candidate.value)) byValue.set(candidate.value, candidate);
  }
  return [...byValue.values()];
}

function describe(name: string, value: unknown): string {
  if (typeof value === 'function' && /^class\b/.test(Function.prototype.toString.call(value))) {
    return `'${name}' is a class but has neither @Agent nor @Module. Decorate it, or name another export.`;
  }
  if (typeof value === 'object' && value !== null && isAgentClass(value.constructor)) {
    return `'${name}' is an instance of an agent class. Export the class itself; Nest makes the instances.`;
  }
  return `'${name}' is ${typeof value === 'function' ? 'a function' : `of type ${typeof value}`}, not a class with @Agent or a Nest module. Name another export.`;
}
