import { parseTsconfig } from 'get-tsconfig';

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

/**
 * Compiler options of a file, with those that it extends; the TypeScript compiler would take half a second to read them.
 *
 * @throws Error when the file, or one that it extends, is missing, and when they extend each other in a circle
 */
export function readCompilerOptions(file: string): CompilerOptions {
  return parseTsconfig(file).compilerOptions ?? {};
}
