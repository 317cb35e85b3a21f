import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PlatformEmulator, SAMPLE_MEMBERSHIPS } from '../../libs/testing/platform/index.js';
import { runCli, startCli, type CliOptions, type CliResult, type RunningCli } from './cli.js';

export interface StoredFile {
  readonly active_workspace: string | null;
  readonly workspaces: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A user of the command line: a platform to log in to, and a folder for the logins. */
export class Account {
  private constructor(
    readonly platform: PlatformEmulator,
    readonly configDir: string,
  ) {}

  static async open(): Promise<Account> {
    const platform = await PlatformEmulator.start({ device: { interval: 0.05 } });
    return new Account(platform, mkdtempSync(join(tmpdir(), 'osmosis-account-')));
  }

  async close(): Promise<void> {
    await this.platform.stop();
    rmSync(this.configDir, { recursive: true, force: true });
  }

  get path(): string {
    return join(this.configDir, 'credentials.json');
  }

  /** The stored logins; null when nothing was stored. */
  get stored(): StoredFile | null {
    return existsSync(this.path) ? (JSON.parse(readFileSync(this.path, 'utf8')) as StoredFile) : null;
  }

  get env(): Record<string, string> {
    return { OSMOSIS_PLATFORM_URL: this.platform.url, OSMOSIS_CONFIG_DIR: this.configDir };
  }

  run(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    return runCli(args, { ...options, env: { ...this.env, ...options.env } });
  }

  start(args: readonly string[], options: CliOptions = {}): RunningCli {
    return startCli(args, { ...options, env: { ...this.env, ...options.env } });
  }

  /** Runs with a text on standard input. */
  runWith(input: string, args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
    const cli = this.start(args, options);
    cli.child.stdin?.end(input);
    return cli.ended;
  }

  /** Writes logins as if they had been made: of the platform's members, with real tokens. The last one is active. */
  store(...logins: readonly StoredLogin[]): void {
    const entries = logins.map(({ member = 0, name, fields }) => {
      const membership = SAMPLE_MEMBERSHIPS[member];
      const { id, token, expiresAt } = this.platform.issue({ membership });
      const entry = {
        access_token: token,
        token_type: 'Bearer',
        expires_at: expiresAt.toISOString(),
        user: membership?.user,
        organization: { ...membership?.organization, role: membership?.role },
        token_id: id,
        platform_url: this.platform.url,
        ...fields,
      };
      return [name ?? membership?.organization.name ?? '', entry] as const;
    });
    const file = { version: 1, active_workspace: entries.at(-1)?.[0], workspaces: Object.fromEntries(entries) };
    writeFileSync(this.path, JSON.stringify(file), { mode: 0o600 });
  }

  click(address: string, membership: string): Promise<string> {
    return clickThrough(this.platform.url, address, membership);
  }
}

/** Does what the login page's form and the browser would do. Gives the page that the user sees in the end. */
export async function clickThrough(platformUrl: string, address: string, membership: string): Promise<string> {
  const query = new URL(address).searchParams;
  const body = new URLSearchParams({ ...Object.fromEntries(query), membership });
  const decided = await fetch(`${platformUrl}/cli-auth`, { method: 'POST', body, redirect: 'manual' });
  const page = await fetch(decided.headers.get('location') ?? '');
  return `${page.status} ${await page.text()}`;
}

export interface StoredLogin {
  /** Index into the platform's members: Ada at Acme, Ada at Labs, Bo at another Acme. */
  readonly member?: number;
  readonly name?: string;
  /** Over the entry's own. */
  readonly fields?: Readonly<Record<string, unknown>>;
}

/** The address that a login shows. */
export async function shownAddress(cli: RunningCli): Promise<string> {
  const [address] = await cli.output(/http:\/\/\S+\/cli-auth\?[^\s"]+/);
  return address;
}
