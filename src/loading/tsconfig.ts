import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, isAbsolute, resolve } from 'node:path';

/** The options of a `tsconfig.json` that change what is compiled. Paths are the resolver's: it reads them by itself. */
export interface CompilerOptions {
  readonly target?: string;
  readonly useDefineForClassFields?: boolean;
  readonly importHelpers?: boolean;
  readonly jsx?: string;
  readonly jsxFactory?: string;
  readonly jsxFragmentFactory?: string;
  readonly jsxImportSource?: string;
}

interface Config {
  readonly extends?: string | readonly string[];
  readonly compilerOptions?: CompilerOptions;
}

/**
 * Compiler options of a file, with those that it extends; the compiler itself would take half a second to read them.
 *
 * @throws SyntaxError for text that is no JSON with comments; Error when the file, or one that it extends, is missing
 */
export function readCompilerOptions(file: string, readers: readonly string[] = []): CompilerOptions {
  if (readers.includes(file)) throw new Error(`${file} extends itself`);
  const { extends: bases = [], compilerOptions } = parseJsonWithComments(readFileSync(file, 'utf8')) as Config;
  const inherited = [bases].flat().map((base) => readCompilerOptions(findBase(base, file), [...readers, file]));
  return Object.assign({}, ...inherited, compilerOptions) as CompilerOptions;
}

/** A path, for which `.json` may be left out, or what a package has: one file of it, or its `tsconfig.json`. */
function findBase(base: string, from: string): string {
  if (/^\.\.?[\\/]/.test(base) || isAbsolute(base)) {
    const path = resolve(dirname(from), base);
    return path.endsWith('.json') || existsSync(path) ? path : `${path}.json`;
  }
  const require = createRequire(from);
  for (const name of [`${base}/tsconfig.json`, `${base}.json`, base]) {
    try {
      const path = require.resolve(name);
      if (path.endsWith('.json')) return path;
    } catch {
      // The next form.
    }
  }
  throw new Error(`${from} extends ${base}, which is not installed`);
}

const TEXT = '"(?:[^"\\\\]|\\\\.)*"';
const TEXT_OR_COMMENT = new RegExp(`${TEXT}|//.*|/\\*[^]*?\\*/`, 'g');
const TEXT_OR_LAST_COMMA = new RegExp(`${TEXT}|,(?=\\s*[}\\]])`, 'g');

/** JSON as TypeScript takes it: with comments, and commas behind the last item. */
export function parseJsonWithComments(text: string): unknown {
  const kept = (found: string): string => (found.startsWith('"') ? found : ' ');
  const plain = text
    .replace(/^\uFEFF/, '')
    .replace(TEXT_OR_COMMENT, kept)
    .replace(TEXT_OR_LAST_COMMA, kept);
  return JSON.parse(plain.trim() || '{}') as unknown;
}
