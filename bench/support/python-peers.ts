import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BENCH_API_KEY } from './load.js';
import { ServerUnderTest } from './server-under-test.js';

const INTEROP = fileURLToPath(new URL('../../test/interop', import.meta.url));

/** The interop suite's Python: its interpreter, and the version of the official SDK that it has. */
interface Environment {
  readonly python: string;
  readonly sdk: string | null;
}

/** The servers in Python that the interop suite compares with. The environment is made when it is not there. */
export class PythonPeers {
  private constructor(private readonly environment: Environment) {}

  /** @returns null, and the reason on stderr, where there is no Python for it */
  static find(): PythonPeers | null {
    const made = spawnSync('bash', [join(INTEROP, 'python.sh')], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    return made.status === 0 ? new PythonPeers(JSON.parse(made.stdout) as Environment) : null;
  }

  /** Version of the official SDK of dialect 0.3; null where Python is too old for it. */
  get sdk(): string | null {
    return this.environment.sdk;
  }

  async start(module: string, args: readonly string[]): Promise<ServerUnderTest> {
    const home = mkdtempSync(join(tmpdir(), 'osmosis-bench-'));
    process.once('exit', () => rmSync(home, { recursive: true, force: true }));
    return ServerUnderTest.startCommand(this.environment.python, ['-m', module, ...args], {
      cwd: INTEROP,
      env: {
        PATH: process.env['PATH'],
        PYTHONDONTWRITEBYTECODE: '1',
        HOME: home,
        _OSMOSIS_ROLLOUT_ARTIFACT_ROOT: home,
        SERVER_KEY: BENCH_API_KEY,
      },
    });
  }
}
