import { existsSync } from 'node:fs';

/** Debian's names for it; playwright's own download is not needed. */
export const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);
