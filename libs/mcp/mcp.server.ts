import type { McpAddress, McpCommand, McpServer } from '#agent';
import { hasControlCharacters } from '#domain';
import { McpError } from './mcp.error.js';
import { readMcpTarget, readUrl, shownAddress, type McpTarget } from './mcp.target.js';
import { SecretTexts } from './secret.texts.js';

type Values = Readonly<Record<string, string>>;

/** A server as it was named, read and checked. */
export interface McpServerSpec {
  /** For messages; without secrets. */
  readonly label: string;
  readonly target: McpTarget;
  readonly env: Values;
  readonly headers: Values;
  readonly prefix: string;
  readonly timeoutMs: number | undefined;
  readonly secrets: SecretTexts;
}

type McpServerSettings = Pick<McpCommand & McpAddress, 'prefix' | 'timeoutMs' | 'env' | 'headers'>;

/** What a server has that does not say otherwise. */
interface McpServerDefaults {
  readonly cwd: string;
  readonly env?: Values;
  readonly headers?: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs?: number;
}

/** @throws McpError saying what is wrong with it */
export async function readMcpServer(server: McpServer, defaults: McpServerDefaults): Promise<McpServerSpec> {
  const { cwd } = defaults;
  if (typeof server === 'string') return specOf(server, await readMcpTarget(server, cwd), defaults);
  if (typeof server !== 'object' || server === null) throw new McpError(String(server), 'is no server');
  if ('url' in server) {
    const target: McpTarget = { kind: 'url', url: readUrl(String(server.url)) };
    return specOf(server.url, target, { ...defaults, ...server, headers: { ...defaults.headers, ...server.headers } });
  }
  const { command, args } = server;
  if (typeof command !== 'string' || command.trim() === '') {
    throw new McpError(JSON.stringify(Object.keys(server)), 'has neither a command nor a url');
  }
  const target = await commandTarget(server, server.cwd ?? cwd);
  const env = { ...defaults.env, ...server.env };
  return specOf([command, ...(args ?? [])].join(' '), target, { ...defaults, ...server, env });
}

async function commandTarget({ command, args }: McpCommand, cwd: string): Promise<McpTarget> {
  if (args === undefined) return readMcpTarget(command, cwd);
  if (Array.isArray(args) && args.every((arg) => typeof arg === 'string'))
    return { kind: 'command', command, args, cwd };
  throw new McpError(command, "'args' is no list of texts");
}

function specOf(named: string, target: McpTarget, settings: McpServerSettings): McpServerSpec {
  const label = target.kind === 'url' ? shownAddress(target.url) : named.trim();
  const { prefix = '', timeoutMs } = settings;
  if (!/^[A-Za-z0-9_-]{0,32}$/.test(prefix)) {
    throw new McpError(label, `the prefix ${JSON.stringify(prefix)} is not legal in names of tools`, undefined, {
      cure: "Use at most 32 letters, digits, '_' and '-'",
    });
  }
  if (timeoutMs !== undefined && !(Number.isFinite(timeoutMs) && timeoutMs > 0)) {
    throw new McpError(label, `timeoutMs is ${String(timeoutMs)}`, undefined, {
      cure: 'Give a positive number of milliseconds, or leave it out',
    });
  }
  const env = present(settings.env);
  const headers = present(settings.headers);
  for (const name of Object.keys(settings.headers ?? {})) checkHeader(label, name, headers[name]);
  const { password = '', searchParams = [] } = target.kind === 'url' ? target.url : {};
  const secrets = [...Object.values(env), ...Object.values(headers), password, ...[...searchParams].map(([, v]) => v)];
  return { label, target, env, headers, prefix, timeoutMs, secrets: new SecretTexts(secrets) };
}

function checkHeader(label: string, name: string, value: string | undefined): void {
  if (value === undefined) {
    throw new McpError(label, `the header ${name} has no value`, undefined, {
      cure: 'Set the environment variable that it is taken from, or leave the header out',
    });
  }
  if (hasControlCharacters(value)) {
    throw new McpError(label, `the header ${name} has control characters, which no header may have`, undefined, {
      cure: 'Look for a line break at the end of the key',
    });
  }
}

function present(values: Readonly<Record<string, string | undefined>> = {}): Values {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
