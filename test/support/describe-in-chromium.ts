import { CHROMIUM } from './chromium.js';

/** Where there is no Chromium these tests are skipped, and the output says so; in CI that is a failure. */
export const describeInChromium = CHROMIUM !== undefined || process.env.CI === 'true' ? describe : describe.skip;
