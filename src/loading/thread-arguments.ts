/** What says how modules are found and loaded. With a value behind it, or as the next argument. */
const WITH_VALUE = /^(?:--import|--require|-r|--loader|--experimental-loader|--conditions|-C)(=|$)/;
const ALONE: ReadonlySet<string> = new Set(['--enable-source-maps', '--preserve-symlinks', '--no-warnings']);

/**
 * Of a process's arguments for Node those that its worker threads need to load the same modules. The rest must not be handed
 * on: a thread with a flag of V8's, such as `--max-old-space-size`, does not start.
 */
export function threadArgumentsOf(given: readonly string[]): string[] {
  return given.flatMap((argument, index) => {
    if (ALONE.has(argument)) return [argument];
    const found = WITH_VALUE.exec(argument);
    if (!found) return [];
    return found[1] === '=' ? [argument] : given.slice(index, index + 2);
  });
}
