import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { OsmosisError, Secret } from '#domain';

/** A new key for callers of the server (spec 9.1): 55 characters, 256 bits of them random. */
export function generateApiKey(): Secret {
  const key = Secret.from(`osm_rollout_${randomBytes(32).toString('base64url')}`);
  if (!key) throw new TypeError('a generated key is never empty');
  return key;
}

/**
 * Keys from a file, one a line; empty lines and lines that begin with `#` do not count. All are accepted, so that callers
 * can go over from one to the next.
 *
 * @throws OsmosisError CONFIG_INVALID naming the file
 */
export async function readApiKeyFile(path: string, cwd: string): Promise<readonly Secret[]> {
  const text = await readFile(resolve(cwd, path), 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const message = `Cannot read the API key file ${path} (${cause.code ?? cause.message}). Give a readable file.`;
    throw new OsmosisError('CONFIG_INVALID', message, { cause });
  });
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/);
  const keys = lines.filter((line) => !line.trimStart().startsWith('#')).flatMap((line) => Secret.from(line) ?? []);
  if (keys.length > 0) return keys;
  throw new OsmosisError('CONFIG_INVALID', `The API key file ${path} has no keys. Write one a line.`);
}

/** How callers are checked. */
export type ApiKeyChoice =
  /** Not at all: `--local`. */
  | { readonly kind: 'disabled' }
  | { readonly kind: 'provided'; readonly keys: readonly [Secret, ...Secret[]] }
  /** Used unless the application has keys of its own. */
  | { readonly kind: 'generated'; readonly key: Secret };
