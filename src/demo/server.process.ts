import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describeEnd, keepOutput } from './child.js';

const SERVER = fileURLToPath(new URL('../main.js', import.meta.url));
const START_TIMEOUT_MS = 30_000;

/** The application of `npm start`, in a process of its own on a free port. */
export function spawnServer(apiKey: string): ChildProcess {
  return spawn(process.execPath, [SERVER], {
    env: { ...process.env, PORT: '0', HOST: '127.0.0.1', OSMOSIS_API_KEY: apiKey, OSMOSIS_ROLLOUT_STORE: 'memory' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/**
 * The URL that the server says it listens on.
 *
 * @throws Error with the end of the server's output when it ends, or says nothing in time
 */
export function listeningUrl(server: ChildProcess): Promise<string> {
  const output = keepOutput(server);
  return new Promise((resolve, reject) => {
    const fail = (what: string): void => reject(new Error(`The server ${what} before it was listening.\n${output()}`));
    const timer = setTimeout(() => fail(`was silent for ${START_TIMEOUT_MS / 1000} s`), START_TIMEOUT_MS);
    server.once('error', reject);
    server.once('exit', (code, signal) => {
      clearTimeout(timer);
      fail(describeEnd(code, signal));
    });
    if (!server.stdout) return;
    // Goes on reading after that line: a full pipe would stop the server.
    createInterface({ input: server.stdout }).on('line', (line) => {
      const url = readListening(line);
      if (url === null) return;
      clearTimeout(timer);
      resolve(url);
    });
  });
}

function readListening(line: string): string | null {
  if (!line.startsWith('{"event":"listening"')) return null;
  const { url } = JSON.parse(line) as { readonly url: unknown };
  return typeof url === 'string' ? url : null;
}
