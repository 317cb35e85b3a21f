import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface, type Interface } from 'node:readline';

export const MCP_FIXTURES = join(__dirname, '../../libs/mcp/fixtures');

/** An MCP server of the fixtures at an address of its own. */
export class McpHttpServer {
  readonly lines: string[] = [];

  private constructor(
    readonly child: ChildProcess,
    readonly url: string,
    lines: Interface,
  ) {
    lines.on('line', (line) => this.lines.push(line));
  }

  get port(): string {
    return new URL(this.url).port;
  }

  static async start(fixture: string, env: Readonly<Record<string, string>> = {}): Promise<McpHttpServer> {
    const child = spawn(process.execPath, [join(MCP_FIXTURES, fixture)], {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout });
    const [url] = (await once(lines, 'line')) as [string];
    return new McpHttpServer(child, url, lines);
  }

  /** As a crash would end it. */
  async kill(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
