import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { parseJsonWithComments, readCompilerOptions } from './tsconfig.js';

function folderWith(files: Readonly<Record<string, string>>): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'osmosis-tsconfig-')));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('parseJsonWithComments', () => {
  it('leaves out comments and last commas, and nothing that stands in a text', () => {
    const text = `\uFEFF// first
    { /* all
         of it */
      "paths": { "@/*": ["./a,]/*", "http://b//c"], }, // and last
      "quoted": "\\"// no comment,}",
    }`;
    expect(parseJsonWithComments(text)).toEqual({
      paths: { '@/*': ['./a,]/*', 'http://b//c'] },
      quoted: '"// no comment,}',
    });
  });

  it('an empty file says nothing; what is no JSON is refused', () => {
    expect(parseJsonWithComments(' // nothing')).toEqual({});
    expect(() => parseJsonWithComments('{ "a" 1 }')).toThrow(SyntaxError);
  });
});

describe('readCompilerOptions', () => {
  it('a file has what it extends, later ones and its own options before earlier ones', () => {
    const folder = folderWith({
      'tsconfig.json': '{"extends":["./base","@tool/node","plain/strict.json"],"compilerOptions":{"target":"ES2022"}}',
      'base.json': '{"extends":"./root.json","compilerOptions":{"target":"es5","importHelpers":true}}',
      'root.json': '{"compilerOptions":{"jsx":"preserve","importHelpers":false}}',
      'node_modules/@tool/node/tsconfig.json': '{"compilerOptions":{"target":"es6","jsx":"react-jsx"}}',
      'node_modules/plain/strict.json': '{"compilerOptions":{"useDefineForClassFields":false}}',
    });
    expect(readCompilerOptions(join(folder, 'tsconfig.json'))).toEqual({
      target: 'ES2022',
      importHelpers: true,
      jsx: 'react-jsx',
      useDefineForClassFields: false,
    });
  });

  it.each([
    ['{"extends":"./gone.json"}', /gone\.json/],
    ['{"extends":"@tool/gone"}', /extends @tool\/gone, which is not installed/],
    ['{"extends":"./tsconfig.json"}', /extends itself/],
  ])('%s is told', (text, message) => {
    expect(() => readCompilerOptions(join(folderWith({ 'tsconfig.json': text }), 'tsconfig.json'))).toThrow(message);
  });
});
