import type * as Undici from 'undici';
import type { Dispatcher } from 'undici';
import { onDemand } from '#domain';
import { ModelConfigError } from './model.error.js';
import type { Environment } from './model.resolver.js';

const undici = onDemand<typeof Undici>('undici');

/** The HTTP connections of all hosted models: one pool, through the proxy where one is set. */
export interface HttpConnections {
  readonly dispatcher: Dispatcher;
  close(): Promise<void>;
}

/** Never through a proxy, whatever NO_PROXY says: a judge on this machine is not on the proxy's. */
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];

/**
 * Opens the pool. Proxies come from `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of the given environment, in either case;
 * an empty variable is no variable, so it does not mask the other spelling (case NT-16).
 *
 * @throws ModelConfigError for a proxy that is no http(s) URL; its password is not shown
 */
export function openConnections(env: Environment): HttpConnections {
  const httpProxy = proxyUrl(env, 'HTTP_PROXY');
  const httpsProxy = proxyUrl(env, 'HTTPS_PROXY');
  // Time limits are the caller's: the pool must not add hidden ones.
  const limits = { headersTimeout: 0, bodyTimeout: 0 };
  const dispatcher: Dispatcher =
    httpProxy || httpsProxy
      ? new (undici().EnvHttpProxyAgent)({
          ...limits,
          // An empty text, not undefined: undici would ask the process's environment instead.
          httpProxy: httpProxy ?? '',
          httpsProxy: httpsProxy ?? '',
          noProxy: [...LOOPBACK, variable(env, 'NO_PROXY') ?? ''].join(','),
        })
      : new (undici().Agent)(limits);
  return { dispatcher, close: () => dispatcher.destroy() };
}

function proxyUrl(env: Environment, name: string): string | undefined {
  const value = variable(env, name);
  if (value === undefined) return undefined;
  const text = value.includes('://') ? value : `http://${value}`;
  if (/^https?:\/\//i.test(text) && URL.canParse(text)) return text;
  throw new ModelConfigError(
    `${name} is no http(s) URL. Expected something like http://proxy.example:3128, or nothing.`,
  );
}

function variable(env: Environment, name: string): string | undefined {
  return env[name.toLowerCase()]?.trim() || env[name]?.trim() || undefined;
}
