import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * `node .ci/tests.mjs SCRIPT`: runs an npm script that is Jest. Suites start, freeze and kill real processes, on machines that do
 * other things too: where no more than two suites fail, these are run once more, by themselves. One that passes then is named as
 * shaky, and wants mending; one that fails again fails the run. Ends with the line `N passed, N failed`.
 */
const MAX_REPEATED = 2;

const [script, ...options] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'osmosis-ci-'));

/** Jest's report, see https://jestjs.io/docs/cli#--json. */
function run(name, args) {
  const file = join(folder, `${name}.json`);
  const command = ['run', script, '--', ...args, '--json', `--outputFile=${file}`];
  spawnSync('npm', command, { stdio: ['ignore', 'inherit', 'inherit'] });
  if (!existsSync(file)) {
    console.log('Jest did not come to its end.');
    process.exit(1);
  }
  return JSON.parse(readFileSync(file, 'utf8'));
}

const count = (suites, status) =>
  suites.flatMap(({ assertionResults }) => assertionResults).filter((test) => test.status === status).length;

const isRed = ({ status }) => status !== 'passed';

let { testResults: suites, success } = run('all', options);
const failed = suites.filter(isRed);
if (!success && failed.length > 0 && failed.length <= MAX_REPEATED) {
  const paths = failed.map(({ name }) => name);
  console.log(`\n== once more: ${paths.join(', ')}`);
  const again = run('again', ['--runTestsByPath', ...paths]);
  success = again.success;
  suites = [...suites.filter((suite) => !isRed(suite)), ...again.testResults];
  for (const { name } of again.testResults.filter((suite) => !isRed(suite))) {
    console.log(`SHAKY: ${name} failed, and passed when it was run again. Its first failure is above; mend it.`);
  }
}

// A suite that could not be loaded has no tests that failed.
const failures =
  count(suites, 'failed') + suites.filter((suite) => isRed(suite) && count([suite], 'failed') === 0).length;
console.log(`${count(suites, 'passed')} passed, ${success ? 0 : Math.max(1, failures)} failed`);
process.exitCode = success ? 0 : 1;
