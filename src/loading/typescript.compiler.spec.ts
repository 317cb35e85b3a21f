import { compile } from './typescript.compiler.js';

const CLASS = `
import type { Unused } from './gone.js';
function Tool() { return (_target: object, _key: string): void => {}; }
export class Counter {
  from?: number;
  @Tool() count(to: number): string { return String(to); }
}
`;

it('decorators keep the types of what they decorate, and imports of types are left out', async () => {
  const code = await compile(CLASS, '/p/counter.ts', {});
  expect(code).toMatch(/"design:paramtypes", \[\s*Number/);
  expect(code).not.toMatch(/^import|gone/m);
  expect(code).toMatch(/sourceMappingURL=data:/);
});

it.each([
  [{ target: 'ES2022' }, true],
  [{ target: 'ESNext' }, true],
  [{ target: 'es2099' }, true],
  [{ target: 'ES2021' }, false],
  [{}, false],
  [{ target: 'ES2022', useDefineForClassFields: false }, false],
])('%j: fields are defined: %s', async (options, defined) => {
  const code = await compile('export class A { field?: number }', '/p/a.ts', options);
  expect(/field;|"field"/.test(code)).toBe(defined);
});

it('an extension of CommonJS gives CommonJS, one of JSX is read as JSX', async () => {
  expect(await compile('export const a: number = 1;', '/p/a.cts', {})).toMatch(/exports/);
  expect(await compile('export const a = <b/>;', '/p/a.tsx', { jsx: 'react-jsx' })).toMatch(/react\/jsx-runtime/);
  expect(await compile('export const a = <string>String(1);', '/p/a.ts', { jsx: 'react-jsx' })).not.toMatch(/jsx/);
});

it('what is no TypeScript is shown with its place', async () => {
  await expect(compile('export class {{', '/p/a.ts', {})).rejects.toThrow(/Expected/);
});
