import { readdirSync, watch, type FSWatcher } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';

/** What a source file ends in; traces and logs do not count. */
const SOURCES = /(\.([mc]?[jt]s|json|ya?ml)|^\.env)$/;
const LEFT_OUT = new Set(['node_modules', 'dist', 'build', 'coverage']);
/** Editors write a file in several steps, and compilers write many. */
const SETTLE_MS = 150;

/**
 * Tells when a source file below a folder changes. One watcher a folder, because Node's recursive watching on Linux walks
 * through `node_modules` first.
 */
export class SourceWatcher {
  readonly #watchers = new Map<string, FSWatcher>();
  #timer: NodeJS.Timeout | undefined;

  /** @param entry the served file: its folders are watched whatever they are called */
  constructor(
    root: string,
    private readonly entry: string,
    private readonly onChange: (file: string) => void,
  ) {
    this.#add(root);
  }

  close(): void {
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  #add(folder: string): void {
    if (this.#watchers.has(folder)) return;
    try {
      const watcher = watch(folder, (_event, name) => this.#changed(folder, name));
      watcher.on('error', () => this.#remove(folder));
      this.#watchers.set(folder, watcher);
      for (const entry of readdirSync(folder, { withFileTypes: true })) {
        if (entry.isDirectory() && this.#isWatched(join(folder, entry.name))) this.#add(join(folder, entry.name));
      }
    } catch {
      this.#remove(folder); // no folder, gone again, or not ours to read
    }
  }

  #remove(folder: string): void {
    this.#watchers.get(folder)?.close();
    this.#watchers.delete(folder);
  }

  #isWatched(folder: string): boolean {
    const name = basename(folder);
    const leadsToEntry = !relative(folder, this.entry).startsWith('..');
    return leadsToEntry || !(name.startsWith('.') || LEFT_OUT.has(name));
  }

  #changed(folder: string, name: string | null): void {
    if (name === null) return;
    const path = join(folder, name);
    if (!SOURCES.test(name)) {
      // A folder that has just been made; sources may be in it already.
      if (!name.includes('.') && this.#isWatched(path)) this.#add(path);
      return;
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.onChange(path.split(sep).join('/')), SETTLE_MS);
  }
}
