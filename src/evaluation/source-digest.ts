import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { LOADABLE } from '../loading/module-file.js';

/** `from './x'`, `import './x'`, `import('./x')`, `require('./x')`. */
const RELATIVE_IMPORT = /\b(?:from|import|require)\s*\(?\s*['"](\.{1,2}\/[^'"\n]+)['"]/g;

/**
 * SHA-256 of the files and of all that they import by relative paths: the source of an agent, as far as it is its
 * project's own. Packages are not looked into. Order and place of the files have no part in it.
 */
export async function sourceDigest(files: readonly string[]): Promise<string> {
  const digests = new Map<string, string>();
  const waiting = [...files];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (digests.has(file)) continue;
    const text = await readFile(file, 'utf8');
    digests.set(file, createHash('sha256').update(text).digest('hex'));
    for (const [, specifier = ''] of text.matchAll(RELATIVE_IMPORT)) {
      const imported = await sourceOf(resolve(dirname(file), specifier));
      if (imported !== undefined) waiting.push(imported);
    }
  }
  return createHash('sha256')
    .update([...digests.values()].sort().join())
    .digest('hex');
}

/** TypeScript imports `x.js` and means `x.ts`; bundlers' projects leave the ending out. */
async function sourceOf(path: string): Promise<string | undefined> {
  const stem = path.replace(/\.[mc]?[jt]s$/, '');
  const candidates = [path, ...LOADABLE.flatMap((ending) => [`${stem}${ending}`, `${path}/index${ending}`])];
  for (const candidate of candidates) if ((await stat(candidate).catch(() => null))?.isFile()) return candidate;
  return undefined;
}
