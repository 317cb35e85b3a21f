import { realpathSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Class } from '#discovery';

/** Where a thread finds a class. */
export interface ClassLocation {
  readonly files: readonly string[];
  readonly exportName: string;
}

/** Why a thread would not find it. */
export interface LocationFault {
  readonly code: string;
  readonly what: string;
  readonly cure: string;
}

/**
 * Looks which of the files exports the class. They are all loaded already, so nothing is evaluated by this. Where the
 * module system gives no answer (test runners with one of their own) the thread looks itself.
 */
export async function locateClass(type: Class, files: readonly string[]): Promise<ClassLocation | LocationFault> {
  if (files.length === 0) {
    return {
      code: 'ISOLATED_FILE_UNKNOWN',
      what: 'the method is isolated, but the file of its class is not known: the class was made by code without a file',
      cure: 'Write the class in a file that exports it, or drop isolate',
    };
  }
  const imported = files.filter((file) => !isEntry(file));
  let answered = false;
  for (const file of imported) {
    const exported = await exportsOf(file);
    if (!exported) continue;
    answered = true;
    const exportName = nameOf(type, exported);
    if (exportName !== undefined) return { files: [file], exportName };
  }
  if (imported.length < files.length && files.indexOf(imported[0] ?? '') !== 0) return inEntry();
  return answered ? notExported(type, imported) : { files: imported, exportName: type.name };
}

export function isLocated(location: ClassLocation | LocationFault): location is ClassLocation {
  return 'files' in location;
}

type Exports = Readonly<Record<string, unknown>>;

async function exportsOf(file: string): Promise<Exports | undefined> {
  try {
    const namespace = (await import(file)) as Exports;
    const inner = namespace['default'];
    return typeof inner === 'object' && inner !== null ? { ...(inner as Exports), ...namespace } : namespace;
  } catch {
    return undefined;
  }
}

function nameOf(type: Class, exported: Exports): string | undefined {
  if (exported[type.name] === type) return type.name;
  return Object.keys(exported).find((name) => exported[name] === type);
}

/** Importing the program's entry would start the program again, and here it would wait for itself. */
function isEntry(file: string): boolean {
  const entry = process.argv[1];
  try {
    return entry !== undefined && realpathSync(entry) === realpathSync(fileURLToPath(file));
  } catch {
    return false;
  }
}

function inEntry(): LocationFault {
  return {
    code: 'ISOLATED_IN_ENTRY',
    what: "the method is isolated, but its class is in the program's entry file: a thread would start the program again",
    cure: 'Move the class to a file of its own and import it',
  };
}

function notExported(type: Class, files: readonly string[]): LocationFault {
  const where = files.map((file) => fileURLToPath(file)).join(', ');
  return {
    code: 'ISOLATED_NOT_EXPORTED',
    what: `the method is isolated, but the class ${type.name} is not exported from the file it was decorated in (${where})`,
    cure: 'Export the class there; for an inherited method, override it in the child and decorate the override',
  };
}
