import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

/** Environment variables as a program sees them; handed in, never read here. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Where the configuration lives. */
export interface ConfigLocation {
  /** Null when there is no home directory: nothing is stored, and nothing can be. */
  readonly directory: string | null;
  /** The user named this very directory. Its permissions are then the user's business; they are not tightened. */
  readonly named: boolean;
}

/**
 * In this order: the given directory, `OSMOSIS_CONFIG_DIR`, `$XDG_CONFIG_HOME/osmosis`, `~/.config/osmosis` (the Python
 * SDK's place, spec E.1). A relative `XDG_CONFIG_HOME` counts as unset, as its specification wants.
 */
export function locateConfig(env: Environment, directory?: string): ConfigLocation {
  const named = directory || env.OSMOSIS_CONFIG_DIR;
  if (named) return { directory: named, named: true };
  const xdg = env.XDG_CONFIG_HOME;
  if (xdg && isAbsolute(xdg)) return { directory: join(xdg, 'osmosis'), named: false };
  const home = env.HOME || env.USERPROFILE || systemHome();
  return { directory: home ? join(home, '.config', 'osmosis') : null, named: false };
}

/** `os.homedir` throws for a user without an entry in the user database, as containers often have (case CL-19). */
function systemHome(): string | null {
  try {
    return homedir() || null;
  } catch {
    return null;
  }
}
