import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { EXIT } from '#domain';
import { note, type CommandContext } from '../../cli/command-context.js';
import { SIGNAL_EXIT } from '../../cli/exit-codes.js';
import { generateApiKey } from '../api-keys.js';
import { StopSignals } from '../stop-signals.js';
import { RELOAD_CHILD } from './reload-protocol.js';
import { SourceWatcher } from './source-watcher.js';

/** Ends of a server that no change of a source file mends. */
const HOPELESS: readonly (number | null)[] = [EXIT.usage, EXIT.configuration];

/**
 * `serve --reload`: runs the server in a process of its own and starts it anew whenever a source file changes. Only a new
 * process sees all of a module's new code, and nothing of the old.
 */
export class ReloadSupervisor {
  readonly #key = generateApiKey().reveal();
  #server: ChildProcess | undefined;
  #restarting = false;
  #stopping = false;
  #finish: (code: number) => void = () => {};

  /** @param command the program's own command line, from the script on */
  constructor(
    private readonly context: CommandContext,
    private readonly command: readonly string[],
  ) {}

  /** @param file the served file; its project is watched */
  async run(file: string): Promise<number> {
    const signals = new StopSignals();
    signals.serving();
    const watcher = new SourceWatcher(projectOf(file), file, (path) => this.#changed(path));
    const finished = new Promise<number>((resolve) => (this.#finish = resolve));
    void signals.received.then((signal) => this.#stop(signal));
    this.#start();
    const code = await finished;
    watcher.close();
    signals.dispose();
    return code;
  }

  #start(): void {
    // A process group of its own: Ctrl-C reaches the server once, through us, and not twice.
    this.#server = spawn(process.execPath, [...process.execArgv, ...this.command], {
      cwd: this.context.cwd,
      env: { ...this.context.environment, [RELOAD_CHILD]: this.#key },
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      detached: true,
    });
    this.#server.once('exit', (code, signal) => this.#ended(code, signal));
  }

  #changed(path: string): void {
    if (this.#stopping || this.#restarting) return;
    note(this.context, `Starting anew: ${relative(this.context.cwd, path)} has changed.`);
    if (!this.#server) return this.#start();
    this.#restarting = true;
    this.#server.kill('SIGTERM');
  }

  #stop(signal: NodeJS.Signals): void {
    this.#stopping = true;
    if (this.#server) this.#server.kill(signal);
    else this.#finish(EXIT.ok);
  }

  #ended(code: number | null, signal: NodeJS.Signals | null): void {
    this.#server = undefined;
    if (this.#stopping) return this.#finish(code ?? SIGNAL_EXIT.SIGINT);
    if (HOPELESS.includes(code)) return this.#finish(code ?? EXIT.failure);
    if (this.#restarting) {
      this.#restarting = false;
      this.#start();
      return;
    }
    note(this.context, `The server has ended (${signal ?? `exit code ${code}`}). Waiting for a change.`);
  }
}

/** The nearest folder upwards with a package.json; else the file's own. */
function projectOf(file: string): string {
  const own = dirname(file);
  for (let at = own; at !== dirname(at); at = dirname(at)) if (existsSync(join(at, 'package.json'))) return at;
  return own;
}
