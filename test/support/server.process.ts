import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';

const ROOT = join(__dirname, '..', '..');

/** A server of the repository's application (or another entry) as a process of its own. Needs `npm run build`. */
export class ServerProcess {
  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
    private readonly lines: string[],
  ) {}

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
    const lines: string[] = [];
    const url = await new Promise<string>((resolve, reject) => {
      child.once('exit', (code) => reject(new Error(`the server ended with ${code}:\n${lines.join('\n')}`)));
      const read = (line: string): void => {
        lines.push(line);
        if (line.startsWith('{"event":"listening"')) resolve((JSON.parse(line) as { url: string }).url);
      };
      createInterface({ input: child.stdout }).on('line', read);
      createInterface({ input: child.stderr }).on('line', read);
    });
    return new ServerProcess(child, url, lines);
  }

  /** Sends a signal and waits for the end. Gives the exit code, or the signal's name. */
  stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | string | null> {
    const ended = new Promise<number | string | null>((resolve) =>
      this.child.once('exit', (code, killedBy) => resolve(code ?? killedBy)),
    );
    if (this.child.exitCode !== null || this.child.signalCode !== null) return Promise.resolve(this.child.exitCode);
    this.child.kill(signal);
    return ended;
  }
}
