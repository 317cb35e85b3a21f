import { isClass, type Class } from '#discovery';
import { describeThrown } from '#domain';
import type { IsolatedTask } from './isolated.protocol.js';

/** The class of an isolated method cannot be had in the thread. */
export class ClassNotLoadedError extends Error {
  override readonly name = 'ClassNotLoadedError';
}

const loaded = new Map<string, Class>();

/**
 * Imports the class of a call, once a thread. Its file is evaluated anew here: nothing is shared with the main thread.
 *
 * @throws ClassNotLoadedError telling what was tried
 */
export async function loadClass({ files, exportName }: IsolatedTask): Promise<Class> {
  const key = `${files[0]} ${exportName}`;
  const known = loaded.get(key);
  if (known) return known;
  const faults: string[] = [];
  for (const file of files) {
    const found = await exportOf(file, exportName).catch((error: unknown) => {
      faults.push(`${file} cannot be loaded in a thread: ${describeThrown(error)}${cureFor(error)}`);
      return undefined;
    });
    if (!isClass(found)) continue;
    loaded.set(key, found);
    return found;
  }
  throw new ClassNotLoadedError(faults[0] ?? `None of its files exports the class ${exportName}: ${files.join(', ')}`);
}

/** What a CommonJS module exports is under `default`, with or without names beside it. */
async function exportOf(file: string, name: string): Promise<unknown> {
  const namespace = (await import(file)) as Readonly<Record<string, unknown>>;
  if (name in namespace) return namespace[name];
  const inner = namespace['default'];
  return typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined;
}

function cureFor(error: unknown): string {
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code !== 'ERR_UNKNOWN_FILE_EXTENSION') return '';
  return ". Run compiled code, or give the threads a loader: isolation: { execArgv: ['--import', '@swc-node/register/esm-register'] }";
}
