import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';

const BENCH = fileURLToPath(new URL('..', import.meta.url));
const OUT = join(BENCH, '../dist/bench');
const FOLDERS = ['servers', 'baselines', 'support'];

let compiled: Promise<(program: string) => string> | null = null;

/**
 * Compiles the programs that are measured into `dist/bench`, where they use the compiled package.
 *
 * @returns the file of a program, by `folder/name`
 */
export function compilePrograms(): Promise<(program: string) => string> {
  return (compiled ??= compileAll());
}

async function compileAll(): Promise<(program: string) => string> {
  for (const folder of FOLDERS) {
    for (const name of readdirSync(join(BENCH, folder)).filter((file) => file.endsWith('.ts'))) {
      await compile(join(folder, name));
    }
  }
  return (program) => join(OUT, `${program}.js`);
}

async function compile(file: string): Promise<void> {
  const { code } = await transformFile(join(BENCH, file), {
    jsc: {
      parser: { syntax: 'typescript', decorators: true },
      transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
      target: 'es2022',
    },
  });
  const out = join(OUT, file.replace(/ts$/, 'js'));
  mkdirSync(dirname(out), { recursive: true });
  writeFileSync(out, code);
}
