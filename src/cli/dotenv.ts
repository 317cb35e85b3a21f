import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseEnv } from 'node:util';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface DotenvFile {
  readonly path: string;
  readonly values: Environment;
}

/** The nearest `.env` from the directory upwards (spec D.1); null when there is none that can be read. */
export function findDotenv(directory: string): DotenvFile | null {
  for (let at = directory; ; at = dirname(at)) {
    const path = join(at, '.env');
    const text = readIfFile(path);
    // A byte order mark would become part of the first name.
    if (text !== undefined) return { path, values: parseEnv(text.replace(/^\uFEFF/, '')) };
    if (dirname(at) === at) return null;
  }
}

/** A folder called `.env` (a Python environment) or a file of somebody else's is passed over. */
function readIfFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
