import { extname } from 'node:path';
import { transform, type JscTarget, type Options } from '@swc/core';
import type { CompilerOptions } from './tsconfig.js';

const OLDER = ['es3', 'es5', 'es2015', 'es2016', 'es2017', 'es2018', 'es2019', 'es2020', 'es2021'];
const TARGETS: readonly string[] = [...OLDER, 'es2022', 'es2023', 'es2024'];
const DEFAULT_TARGET = 'es2018';

/**
 * One file of TypeScript as JavaScript, with its source map inside. Decorators with metadata are on whatever the tsconfig
 * says, for without them no agent can be read.
 *
 * @throws Error whose message is a picture of the place, for code that is no TypeScript
 */
export async function compile(source: string, file: string, options: CompilerOptions): Promise<string> {
  const { code } = await transform(source, swcOptions(file, options));
  return code;
}

export function swcOptions(file: string, options: CompilerOptions): Options {
  const target = targetOf(options.target);
  return {
    filename: file,
    swcrc: false,
    isModule: true,
    sourceMaps: 'inline',
    inlineSourcesContent: true,
    module: { type: file.endsWith('.cts') ? 'commonjs' : 'es6' },
    jsc: {
      target: target as JscTarget,
      externalHelpers: options.importHelpers === true,
      keepClassNames: true,
      parser: { syntax: 'typescript', tsx: extname(file) === '.tsx', decorators: true, dynamicImport: true },
      transform: {
        legacyDecorator: true,
        decoratorMetadata: true,
        useDefineForClassFields: options.useDefineForClassFields ?? !OLDER.includes(target),
        react: reactOf(options),
      },
      experimental: { keepImportAttributes: true },
    },
  };
}

function targetOf(named: string = DEFAULT_TARGET): string {
  const target = named.toLowerCase().replace(/^es6$/, 'es2015');
  // One that the compiler does not know is newer than it is.
  return TARGETS.includes(target) ? target : 'es2024';
}

function reactOf({ jsx, jsxFactory, jsxFragmentFactory, jsxImportSource }: CompilerOptions): object | undefined {
  if (jsx === undefined) return undefined;
  const runtime = jsx.startsWith('react-jsx') ? 'automatic' : 'classic';
  return { runtime, pragma: jsxFactory, pragmaFrag: jsxFragmentFactory, importSource: jsxImportSource };
}
