import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** A server of the repository's application (or another entry) as a process of its own. Needs `npm run build`. */
export class ServerProcess {
  readonly #death = new AbortController();

  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
    private readonly lines: string[],
    private readonly ended: Promise<number | string | null>,
  ) {
    void ended.then(() => this.#death.abort(new Error('the server has ended')));
  }

  /** Aborted once it has ended. For requests that it may not survive: Node's `fetch` leaves some of them open for ever. */
  get death(): AbortSignal {
    return this.#death.signal;
  }

  get output(): string {
    return this.lines.join('\n');
  }

  /** @param limit an `ulimit` for the process, such as `-f 8` */
  static async start(
    env: Readonly<Record<string, string>>,
    entry = 'dist/src/main.js',
    limit?: string,
  ): Promise<ServerProcess> {
    const command = [process.execPath, join(ROOT, entry)];
    const limited = ['bash', '-c', `ulimit ${limit}; exec "$0" "$@"`, ...command];
    const [program = '', ...args] = limit === undefined ? command : limited;
    const child = spawn(program, args, {
      env: { PATH: process.env['PATH'], HOME: process.env['HOME'], PORT: '0', HOST: '127.0.0.1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Not at its exit: what it has said may come later.
    const ended = new Promise<number | string | null>((resolve) =>
      child.once('close', (code, killedBy) => resolve(code ?? killedBy)),
    );
    const lines: string[] = [];
    const url = await new Promise<string>((resolve, reject) => {
      void ended.then((code) => reject(new Error(`the server ended with ${code}:\n${lines.join('\n')}`)));
      const read = (line: string): void => {
        lines.push(line);
        if (line.startsWith('{"event":"listening"')) resolve((JSON.parse(line) as { url: string }).url);
      };
      createInterface({ input: child.stdout }).on('line', read);
      createInterface({ input: child.stderr }).on('line', read);
    });
    return new ServerProcess(child, url, lines, ended);
  }

  /** Sends a signal and waits for the end. Gives the exit code, or the signal's name. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string | null> {
    this.child.kill(signal);
    return this.ended;
  }
}
