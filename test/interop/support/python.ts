import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { join } from 'node:path';

interface Environment {
  readonly python: string;
  readonly sdk: string | null;
}

const found = process.env['OSMOSIS_INTEROP'];
const environment = found ? (JSON.parse(found) as Environment) : null;

/** `describe` for what needs Python; skipped, as the setup has said, where there is none. */
export const describeWithPython = environment ? describe : describe.skip;

/** `describe` for what needs the official SDK 0.3. */
export const describeWithSdk = environment?.sdk ? describe : describe.skip;

interface Waiting {
  readonly resolve: (line: string) => void;
  readonly reject: (error: Error) => void;
}

/** A Python module of this folder as a process that answers lines on stdin with lines on stdout. */
export class PythonProcess {
  readonly #errors: string[] = [];
  readonly #waiting: Waiting[] = [];
  #ended: Error | undefined;

  private constructor(private readonly child: ChildProcessWithoutNullStreams) {
    createInterface({ input: child.stdout }).on('line', (line) => this.#waiting.shift()?.resolve(line));
    createInterface({ input: child.stderr }).on('line', (line) => this.#errors.push(line));
    child.once('close', (code) => {
      const ended = new Error(`the Python process ended with ${code}:\n${this.#errors.join('\n')}`);
      this.#ended = ended;
      for (const { reject } of this.#waiting.splice(0)) reject(ended);
    });
  }

  static start(module: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): PythonProcess {
    if (!environment) throw new Error('There is no Python; see the first lines of the run');
    const child = spawn(environment.python, ['-m', module, ...args], {
      cwd: join(__dirname, '..'),
      env: { PATH: process.env['PATH'], PYTHONDONTWRITEBYTECODE: '1', PYTHONUTF8: '1', ...env },
    });
    return new PythonProcess(child);
  }

  /** The next line that nobody waits for yet. Ask before it can come. */
  line(): Promise<string> {
    if (this.#ended) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => this.#waiting.push({ resolve, reject }));
  }

  /** Sends one line and gives the answer. */
  ask(line: string): Promise<string> {
    const answer = this.line();
    this.child.stdin.write(`${line}\n`);
    return answer;
  }

  async stop(): Promise<void> {
    if (this.#ended) return;
    const closed = once(this.child, 'close');
    this.child.kill('SIGKILL');
    await closed;
  }
}

/** A Python module that serves HTTP, and its address. */
export class PythonServer {
  private constructor(
    private readonly process: PythonProcess,
    readonly url: string,
  ) {}

  static async start(module: string, args: readonly string[] = [], env: NodeJS.ProcessEnv = {}): Promise<PythonServer> {
    const process = PythonProcess.start(module, args, env);
    const { url } = JSON.parse(await process.line()) as { url: string };
    return new PythonServer(process, url);
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}
