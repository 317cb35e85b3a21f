import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Module } from '@nestjs/common';
import { Agent, OsmosisModule } from '#osmosis';
import { findModuleFile } from './module-file.js';
import { isNestModule, readModuleGraph } from './module-graph.js';
import { splitModulePath } from './module-path.js';

function folderWith(...paths: string[]): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'osmosis-loading-')));
  for (const path of paths) {
    const [name = '', text = ''] = path.split('=');
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

describe('splitModulePath (spec 11.2)', () => {
  it.each([
    ['src/a.ts:MyAgent', 'src/a.ts', 'MyAgent'],
    ['src/a.ts', 'src/a.ts', undefined],
    ['a.b:c:d', 'a.b:c', 'd'],
    ['@scope/pkg:default', '@scope/pkg', 'default'],
    ['C:\\code\\a.ts', 'C:\\code\\a.ts', undefined],
    ['C:\\code\\a.ts:MyAgent', 'C:\\code\\a.ts', 'MyAgent'],
  ])('%s', (given, path, exportName) => {
    expect(splitModulePath(given, tmpdir())).toEqual({ path, exportName });
  });

  it('a file with a colon in its name is a file', () => {
    expect(splitModulePath('a:b', folderWith('a:b'))).toEqual({ path: 'a:b', exportName: undefined });
  });

  it.each(['a.ts:', ':x', 'a.ts:b-c', ' '])("'%s' is refused with the expected format", (given) => {
    expect(() => splitModulePath(given, tmpdir())).toThrow("Expected format: 'path' or 'path:export'");
  });
});

describe('findModuleFile', () => {
  it.each([
    ['a.ts', ['a.ts'], 'a.ts'],
    ['a', ['a.js'], 'a.js'],
    ['a', ['a.mjs', 'a.ts'], 'a.ts'],
    ['.', ['src/app.module.ts', 'dist/app.module.js'], 'src/app.module.ts'],
    ['dist', ['dist/index.js', 'dist/app.module.js'], 'dist/app.module.js'],
    ['lib', ['lib/package.json={"main":"go.js"}', 'lib/go.js'], 'lib/go.js'],
    [
      'p',
      ['node_modules/p/package.json={"exports":{"import":"./m.js"}}', 'node_modules/p/m.js'],
      'node_modules/p/m.js',
    ],
  ])('%s among %j is %s', (path, files, expected) => {
    const folder = folderWith(...files);
    expect(findModuleFile(path, folder)).toBe(join(folder, expected));
  });

  it('D.12: a dotted module path of Python gets told its file', () => {
    expect(() => findModuleFile('my.agent', folderWith('my/agent.ts'))).toThrow('did you mean my/agent.ts?');
  });
});

describe('readModuleGraph', () => {
  @Agent({ name: 'one' })
  class One {}
  @Agent({ name: 'two' })
  class Two {}
  @Module({ providers: [One] })
  class Inner {}

  it('finds agents in imported, dynamic, async and forward modules, and OsmosisModule wherever it is', async () => {
    class Dynamic {}
    @Module({
      imports: [
        Promise.resolve({
          module: Dynamic,
          imports: [OsmosisModule.forRoot()],
          providers: [{ provide: 'x', useClass: Two }],
        }),
        { forwardRef: () => Inner },
      ],
    })
    class Outer {}
    expect(await readModuleGraph(Outer)).toEqual({ hasOsmosis: true, agents: [Two, One] });
    expect(await readModuleGraph(Inner)).toEqual({ hasOsmosis: false, agents: [One] });
  });

  it('circles end', async () => {
    @Module({ imports: [{ forwardRef: () => Circle }] })
    class Circle {}
    expect(await readModuleGraph(Circle)).toEqual({ hasOsmosis: false, agents: [] });
  });

  it('tells modules from other things', () => {
    expect([Inner, { module: Inner }, One, {}, 'x', null].map(isNestModule)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ]);
  });
});
