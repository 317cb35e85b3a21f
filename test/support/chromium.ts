import { existsSync } from 'node:fs';

/** Debian's names for it; playwright's own download is not needed. */
export const CHROMIUM = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync);

/** Where there is no Chromium these tests are skipped, and the output says so; in CI that is a failure. */
export const describeInChromium = CHROMIUM !== undefined || process.env.CI === 'true' ? describe : describe.skip;
