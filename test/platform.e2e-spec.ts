import { spawn, type ChildProcess } from 'node:child_process';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Account, clickThrough, shownAddress } from './support/account.js';
import { CLI, endProcesses, ensureBuilt } from './support/cli.js';

jest.setTimeout(120_000);

const MAIN = join(CLI, '../platform/main.js');

describe('npm run platform', () => {
  let child: ChildProcess;

  beforeAll(ensureBuilt);
  afterEach(endProcesses);
  afterEach(() => void child.kill('SIGKILL'));

  const start = (...args: string[]) => {
    child = spawn(process.execPath, [MAIN, ...args], { stdio: 'pipe' });
    const said = { text: '' };
    child.stdout?.on('data', (chunk: Buffer) => (said.text += chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => (said.text += chunk.toString()));
    return { said, ended: new Promise<number | null>((done) => child.on('close', done)) };
  };

  it('says how to use it, serves a login by hand, and ends with Ctrl-C', async () => {
    const { said, ended } = start('--port', '0');
    while (!said.text.includes('Stop with')) await new Promise((done) => setTimeout(done, 20));
    const [, url = ''] = /export OSMOSIS_PLATFORM_URL=(\S+)/.exec(said.text) ?? [];
    expect(said.text).toContain('ada@example.com at Labs');

    const account = await Account.open();
    const cli = account.start(['login', '--no-browser'], { env: { OSMOSIS_PLATFORM_URL: url } });
    await clickThrough(url, await shownAddress(cli), 'user_ada@org_labs');
    expect(await cli.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Labs (admin)') });
    await account.close();

    child.kill('SIGINT');
    expect(await ended).toBe(0);
  });

  it('a port that is taken: 1, and how to choose another', async () => {
    const other = createServer();
    await new Promise<void>((done) => other.listen(0, '127.0.0.1', done));
    const { said, ended } = start('--port', String((other.address() as AddressInfo).port));
    expect(await ended).toBe(1);
    expect(said.text).toMatch(/EADDRINUSE[^]*npm run platform -- --port/);
    other.close();
  });

  it.each(['70000', 'x', ''])('--port %j: 1', async (port) => {
    const { said, ended } = start('--port', port);
    expect(await ended).toBe(1);
    expect(said.text).toContain('Give a number from 0 to 65535.');
  });
});
