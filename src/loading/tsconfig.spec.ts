import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readCompilerOptions } from './tsconfig.js';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'osmosis-tsconfig-')));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('readCompilerOptions', () => {
  it('takes comments and last commas', () => {
    const folder = folderWith({ 'tsconfig.json': '{ /* all */ "compilerOptions": { "target": "es2022", } } // last' });
    expect(readCompilerOptions(join(folder, 'tsconfig.json'))).toMatchObject({ target: 'es2022' });
  });

  it('a file has what it extends, later ones and its own options before earlier ones', () => {
    const folder = folderWith({
      'tsconfig.json': '{"extends":["./base","@tool/node","plain/strict.json"],"compilerOptions":{"target":"ES2022"}}',
      'base.json': '{"extends":"./root.json","compilerOptions":{"target":"es5","importHelpers":true}}',
      'root.json': '{"compilerOptions":{"jsx":"preserve","importHelpers":false}}',
      'node_modules/@tool/node/tsconfig.json': '{"compilerOptions":{"target":"es6","jsx":"react-jsx"}}',
      'node_modules/plain/strict.json': '{"compilerOptions":{"useDefineForClassFields":false}}',
    });
    expect(readCompilerOptions(join(folder, 'tsconfig.json'))).toMatchObject({
      target: 'es2022',
      importHelpers: true,
      jsx: 'react-jsx',
      useDefineForClassFields: false,
    });
  });

  it.each([
    ['{"extends":"./gone.json"}', /gone\.json/],
    ['{"extends":"@tool/gone"}', /@tool\/gone/],
    ['{"extends":"./tsconfig.json"}', /[Cc]ircular/],
  ])('%s is told', (text, message) => {
    expect(() => readCompilerOptions(join(folderWith({ 'tsconfig.json': text }), 'tsconfig.json'))).toThrow(message);
  });
});
