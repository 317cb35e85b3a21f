import { cp, mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { transform, type Options } from '@swc/core';

const ROOT = resolve(__dirname, '../..');

/** Node's own module system, as the build makes it; Jest's knows nothing of threads. */
const SWC: Options = {
  swcrc: false,
  jsc: {
    parser: { syntax: 'typescript', decorators: true },
    transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: true },
    target: 'es2022',
    keepClassNames: true,
  },
  module: { type: 'es6' },
  sourceMaps: false,
};

/**
 * This package as it is installed somewhere, compiled from the sources as they stand, in a folder of its own. For tests
 * that need a real process or a real thread, without a build.
 */
export class CompiledPackage {
  private constructor(readonly folder: string) {}

  /** @param part a folder of the repository, when not all libraries are needed */
  static async create(part = 'libs'): Promise<CompiledPackage> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'osmosis-compiled-')));
    const compiled = new CompiledPackage(folder);
    await cp(join(ROOT, 'package.json'), join(folder, 'package.json'));
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    await compiled.compile(part, `dist/${part}`);
    return compiled;
  }

  /** Compiles a folder of the repository, without its specs. */
  async compile(from: string, to: string): Promise<void> {
    const source = join(ROOT, from);
    const entries = await readdir(source, { withFileTypes: true, recursive: true });
    const files = entries.filter(({ name }) => /(?<!\.spec|\.d)\.ts$/.test(name));
    await Promise.all(
      files.map(async (entry) => {
        const path = join(entry.parentPath, entry.name);
        const target = join(this.folder, to, relative(source, path).replace(/\.ts$/, '.js'));
        const { code } = await transform(await readFile(path, 'utf8'), { ...SWC, filename: path });
        await mkdir(dirname(target), { recursive: true });
        await writeFile(target, code);
      }),
    );
  }

  /** Copies a folder of the repository as it is. */
  async copy(from: string, to: string): Promise<void> {
    await cp(join(ROOT, from), join(this.folder, to), { recursive: true });
  }

  /** What a thread of the compiled package runs. */
  get threadFile(): string {
    return this.path('dist/libs/agent/isolation/isolated.worker.js');
  }

  path(...parts: readonly string[]): string {
    return join(this.folder, ...parts);
  }

  async write(path: string, text: string): Promise<string> {
    await mkdir(dirname(this.path(path)), { recursive: true });
    await writeFile(this.path(path), text);
    return this.path(path);
  }

  remove(): Promise<void> {
    return rm(this.folder, { recursive: true, force: true });
  }
}
