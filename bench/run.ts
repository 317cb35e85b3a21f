import { spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Runs benchmarks one after another, each in a process of its own: `npm run bench` all of them, `npm run bench -- store
 * turn` these. A benchmark is a file of this folder; it prints its figures and never fails for being slow.
 */
const FOLDER = dirname(fileURLToPath(import.meta.url));
const known = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => file.slice(0, -'.ts'.length));

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`There is no benchmark ${unknown.join(', ')}. Known: ${known.join(', ')}.`);
  process.exit(2);
}

for (const name of wanted.length > 0 ? wanted : known) {
  const failed = await run(name);
  if (failed) process.exitCode = 1;
}

/** Whether it could not be run to its end. */
function run(name: string): Promise<boolean> {
  const loader = ['--import', '@swc-node/register/esm-register'];
  const child = spawn(process.execPath, [...loader, join(FOLDER, `${name}.ts`)], { stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code !== 0) console.error(`The benchmark ${name} ended with ${code}.`);
      resolve(code !== 0);
    });
  });
}
