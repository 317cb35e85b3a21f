import { createRequire } from 'node:module';

const requirePackage = createRequire(import.meta.url);

/**
 * A CommonJS package that is loaded when it is first asked for, and then kept: `const undici = onDemand<…>('undici')`, then
 * `undici().Client`. It is the copy that an `import` gives. For packages of many files which not every program needs: each
 * file costs about 0.4 ms of the start.
 *
 * @throws what `require` throws, with every call until it succeeds
 */
export function onDemand<Exports>(name: string): () => Exports {
  let loaded: Exports | undefined;
  return () => (loaded ??= requirePackage(name) as Exports);
}
