import { parseArgs } from 'node:util';
import { describeThrown } from '#domain';
import { PlatformEmulator } from '#testing/platform';
import { packageInfo } from '../cli/package-info.js';
import { StopSignals } from '../serving/stop-signals.js';
import { welcomeText } from './welcome.js';

/**
 * `npm run platform [-- --port 8970]`: an Osmosis platform on this machine, for trying out login, workspaces and
 * registration by hand. It knows no passwords, and keeps everything in memory.
 */
const DEFAULT_PORT = '8970';

const { values } = parseArgs({ options: { port: { type: 'string', default: DEFAULT_PORT } } });
const signals = new StopSignals();
try {
  const port = /^\d{1,5}$/.test(values.port) ? Number(values.port) : NaN;
  if (!(port <= 65_535)) throw new RangeError(`--port cannot be '${values.port}'. Give a number from 0 to 65535.`);
  const platform = await PlatformEmulator.start({ port });
  signals.serving();
  process.stdout.write(
    welcomeText(platform.url, platform.records.memberships, `${packageInfo().root}/dist/src/cli.js`),
  );
  await signals.received;
  await platform.stop();
} catch (error) {
  process.stderr.write(`Error: ${describeThrown(error)}\nChoose another port: npm run platform -- --port 0\n`);
  process.exitCode = 1;
} finally {
  signals.dispose();
}
