import { readFile } from 'node:fs/promises';
import type { Agent, Dispatcher } from 'undici';
import { OsmosisError } from '#domain';
import type { AuthSettings } from '../auth.settings.js';
import type { Environment } from '../credentials/config-location.js';
import { systemCode } from '../credentials/private-file.js';
import { isLoopback } from './platform-url.js';

interface Dispatchers {
  readonly direct: Agent;
  readonly proxied: Dispatcher;
}

/**
 * Connections to the platform: through the proxies that the environment names, but never for the loopback (case NT-16),
 * and trusting the extra certificates of `OSMOSIS_CA_FILE` and `NODE_EXTRA_CA_CERTS`.
 */
export class PlatformTransport {
  #dispatchers: Promise<Dispatchers> | null = null;

  constructor(private readonly settings: AuthSettings) {}

  /** @throws OsmosisError `CONFIG_INVALID` for a proxy URL or a certificate file that cannot be used */
  async dispatcherFor(url: URL): Promise<Dispatcher> {
    const { direct, proxied } = await (this.#dispatchers ??= openDispatchers(this.settings.env));
    return isLoopback(url) ? direct : proxied;
  }

  /** Cuts what is open. A later call opens anew. */
  async close(): Promise<void> {
    const opening = this.#dispatchers;
    this.#dispatchers = null;
    const open = await opening?.catch(() => null);
    await Promise.all([open?.direct.destroy(), open?.proxied.destroy()]);
  }
}

async function openDispatchers(env: Environment): Promise<Dispatchers> {
  const { Agent, EnvHttpProxyAgent } = await import('undici');
  const ca = await extraCertificates(env);
  const tls = ca && { ca };
  const httpProxy = proxyOf(env, 'http_proxy') ?? '';
  const httpsProxy = proxyOf(env, 'https_proxy') ?? httpProxy;
  return {
    direct: new Agent({ connect: tls }),
    // Every field is given, so that undici does not look into the process's own environment.
    proxied: new EnvHttpProxyAgent({
      httpProxy,
      httpsProxy,
      noProxy: env.no_proxy || env.NO_PROXY || '',
      connect: tls,
      requestTls: tls,
      proxyTls: tls,
    }),
  };
}

/** An empty lower-case variable does not hide the upper-case one (case NT-16). */
function proxyOf(env: Environment, name: 'http_proxy' | 'https_proxy'): string | undefined {
  const variable = env[name] ? name : name.toUpperCase();
  const value = env[variable]?.trim();
  if (!value) return undefined;
  const url = URL.canParse(value) ? new URL(value) : null;
  if (url && /^(https?|socks5?):$/.test(url.protocol) && url.hostname) return value;
  // The value may hold a password and is not shown.
  throw new OsmosisError(
    'CONFIG_INVALID',
    `The proxy in the environment variable ${variable} cannot be used: it is no http, https or socks5 URL. ` +
      `Write it as http://host:port, or unset the variable.`,
  );
}

/** Giving certificates replaces Node's own list, so the built-in ones go along. */
async function extraCertificates(env: Environment): Promise<string[] | undefined> {
  if (!env.OSMOSIS_CA_FILE) return undefined;
  const { rootCertificates } = await import('node:tls');
  const extra = [await readCertificates('OSMOSIS_CA_FILE', env.OSMOSIS_CA_FILE)];
  if (env.NODE_EXTRA_CA_CERTS) extra.push(await readCertificates('NODE_EXTRA_CA_CERTS', env.NODE_EXTRA_CA_CERTS));
  return [...rootCertificates, ...extra];
}

async function readCertificates(variable: string, path: string): Promise<string> {
  const fail = (why: string, cause?: unknown): OsmosisError =>
    new OsmosisError('CONFIG_INVALID', `The certificates in ${variable} (${path}) cannot be used: ${why}.`, { cause });
  const pem = await readFile(path, 'utf8').catch((error: unknown) => {
    throw fail(`the file cannot be read (${systemCode(error) ?? 'unknown reason'})`, error);
  });
  if (!pem.includes('-----BEGIN CERTIFICATE-----')) throw fail('the file holds no PEM certificate');
  return pem;
}
