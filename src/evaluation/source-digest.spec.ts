import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { sourceDigest } from './source-digest.js';

const folder = mkdtempSync(join(tmpdir(), 'osmosis-digest-spec-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(file: string, text: string): string {
  const path = join(folder, file);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return path;
}

describe('the digest of a source', () => {
  const agent = write(
    'agent.ts',
    `import { x } from './lib/near.js';\nimport type { Y } from './types';\nimport { Agent } from 'nestjs-osmosis';\n`,
  );
  write(
    'lib/near.ts',
    `export { y as x } from '../deep/index.js';\nexport const late = () => import('../late.mjs');\n`,
  );
  // A circle.
  write('deep/index.ts', `import '../agent.js';\nexport const y = 1;\n`);
  write('late.mjs', 'export default 1;\n');
  write('types/index.ts', 'export type Y = 1;\n');
  write('other.ts', 'export const z = 1;\n');

  it.each([
    ['agent.ts', true],
    ['lib/near.ts', true],
    ['deep/index.ts', true],
    ['late.mjs', true],
    ['types/index.ts', true],
    ['other.ts', false],
  ])('a change of %s changes it: %s', async (file, changes) => {
    const before = await sourceDigest([agent]);
    const text = readFileSync(join(folder, file), 'utf8');
    write(file, `${text}// another word\n`);
    expect((await sourceDigest([agent])) !== before).toBe(changes);
    write(file, text);
    expect(await sourceDigest([agent])).toBe(before);
  });
});
