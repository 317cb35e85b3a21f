/** Finds Python for the suite, and says what it is and what is skipped. In CI a missing Python fails the run. */
const { spawnSync } = require('node:child_process');
const { join } = require('node:path');

const NEEDS = 'The official SDK 0.3.2 needs Python 3.12.';

module.exports = () => {
  const made = spawnSync('bash', [join(__dirname, '../python.sh')], { encoding: 'utf8' });
  if (made.status !== 0) {
    const reason = (made.error?.message ?? made.stderr).trim();
    if (process.env.CI) throw new Error(`The interop suite may not be skipped in CI: ${reason}`);
    process.env.OSMOSIS_INTEROP = '';
    say(`SKIPPED: the interop suite. ${reason}`);
    return;
  }
  process.env.OSMOSIS_INTEROP = made.stdout;
  const { version, sdk } = JSON.parse(made.stdout);
  say(`Python ${version}`);
  say('0.2: PyPI no longer has osmosis-ai 0.2.17; test/interop/peer stands in, held to its recorded answers');
  say(sdk ? `0.3: osmosis-ai ${sdk}, the official SDK` : `SKIPPED: 0.3 against the official SDK. ${NEEDS}`);
};

function say(line) {
  process.stderr.write(`interop: ${line}\n`);
}
