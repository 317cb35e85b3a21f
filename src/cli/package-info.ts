import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface PackageInfo {
  /** Folder of the package's `package.json`. */
  readonly root: string;
  readonly version: string;
}

/** The dialects that the server speaks. */
export const PROTOCOLS = ['osmosis-v0.2', 'osmosis-v0.3'] as const;

/** This package, found upwards from this file: sources and build lie at different depths. */
export function packageInfo(): PackageInfo {
  for (let at = dirname(fileURLToPath(import.meta.url)); at !== dirname(at); at = dirname(at)) {
    try {
      const { name, version } = JSON.parse(readFileSync(join(at, 'package.json'), 'utf8')) as Record<string, string>;
      if (name === 'nestjs-osmosis' && version !== undefined) return { root: at, version };
    } catch {
      // No package.json here: further up.
    }
  }
  throw new Error('The package.json of nestjs-osmosis is missing. Install the package again.');
}

export function versionText(version: string): string {
  return `osmosis ${version} (Node.js ${process.versions.node}, protocols ${PROTOCOLS.join(', ')})`;
}
