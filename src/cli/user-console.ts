import { Console } from 'node:console';

/** What a loaded module prints by `console` goes to stderr from now on: stdout is for the command's result. */
export function consoleToStderr(): void {
  globalThis.console = new Console(process.stderr, process.stderr);
}
