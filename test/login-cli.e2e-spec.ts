import { once } from 'node:events';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Account, shownAddress } from './support/account.js';
import { createProject, endProcesses, ensureBuilt, removeProjects, runCli } from './support/cli.js';
import { until } from './support/init.js';

jest.setTimeout(120_000);

const ADA_AT_ACME = 'user_ada@org_acme';
const DENIED = '';

describe('osmosis login', () => {
  let account: Account;

  beforeAll(ensureBuilt);
  beforeEach(async () => (account = await Account.open()));
  afterEach(async () => {
    await endProcesses();
    await account.close();
  });
  afterAll(removeProjects);

  const token = (): string => account.platform.records.tokens.at(-1)?.token ?? 'none';

  it('D.2: shows the address, waits for the browser, verifies, stores, and says as whom', async () => {
    const cli = account.start(['login', '--no-browser']);
    const page = await account.click(await shownAddress(cli), ADA_AT_ACME);
    expect(page).toMatch(/^200 [^]*Login successful/);
    const { code, stdout, stderr } = await cli.ended;
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Logged in\.\nEmail: +ada@example\.com\nName: +Ada Example\nWorkspace: +Acme \(owner\)\n/);
    expect(stdout).toMatch(/^Expires: +\d{4}-\d{2}-\d{2} \(expires in 89 days\)$/m);
    expect(stdout).toContain(account.path);
    expect(stderr).toMatch(/^To log in, open this address[^]*Verifying/);
    expect(stdout + stderr + page).not.toContain(token());
    expect(statSync(account.path).mode & 0o777).toBe(0o600);
    expect(account.stored).toMatchObject({ active_workspace: 'Acme', workspaces: { Acme: { access_token: token() } } });
    expect(await account.run(['whoami'])).toMatchObject({ code: 0 });
  });

  it.each([
    [1, '1 earlier token of this device was revoked.'],
    [2, '2 earlier tokens of this device were revoked.'],
  ])('D.2: tells that %d earlier tokens were revoked', async (count, sentence) => {
    const cli = account.start(['login', '--no-browser']);
    const address = await shownAddress(cli);
    const deviceName = new URL(address).searchParams.get('device_name') ?? '';
    for (let number = 0; number < count; number++) account.platform.issue({ deviceName });
    await account.click(address, ADA_AT_ACME);
    expect((await cli.ended).stdout).toContain(sentence);
  });

  it('with --json: events as JSON lines on stderr, one document on stdout, no token in either', async () => {
    const cli = account.start(['login', '--json', '--no-browser']);
    await account.click(await shownAddress(cli), ADA_AT_ACME);
    const { code, stdout, stderr } = await cli.ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      command: 'login',
      data: { workspace: 'Acme', user: { email: 'ada@example.com' }, credentialsPath: account.path },
    });
    const events = stderr.trim().split('\n');
    expect(events.map((line) => JSON.parse(line).event.type)).toEqual(['address', 'verifying']);
    expect(stdout + stderr).not.toContain(token());
  });

  it('--quiet still shows the address: nobody could log in without it', async () => {
    const cli = account.start(['login', '--quiet', '--no-browser']);
    await account.click(await shownAddress(cli), ADA_AT_ACME);
    expect((await cli.ended).stderr).not.toContain('Verifying');
  });

  describe('the browser', () => {
    it('is opened with the command of BROWSER, after the address was shown', async () => {
      const click = `
        const query = new URL(process.argv[2]).searchParams;
        const body = new URLSearchParams({ ...Object.fromEntries(query), membership: '${ADA_AT_ACME}' });
        const init = { method: 'POST', body, redirect: 'manual' };
        const decided = await fetch('${account.platform.url}/cli-auth', init);
        await fetch(decided.headers.get('location'));
      `;
      const browser = join(createProject({ 'click.mjs': click }), 'click.mjs');
      const { code, stderr } = await account.run(['login'], { env: { BROWSER: `${process.execPath} ${browser}` } });
      expect(code).toBe(0);
      expect(stderr).toMatch(/^To log in, open this address/);
    });

    it.each([
      ['no display', {}, 'this machine has no display'],
      ['a command that is not there', { BROWSER: 'no-such-browser' }, 'no-such-browser is not installed'],
      ['a command that fails', { BROWSER: 'false' }, 'false ended with code 1'],
    ])('CL-04: %s is one line after the address, and the login goes on', async (_name, env, reason) => {
      const cli = account.start(['login'], { env });
      await cli.output(new RegExp(`No browser could be opened: ${reason}.*--device`));
      expect(cli.stderr.indexOf('/cli-auth?')).toBeLessThan(cli.stderr.indexOf('No browser'));
      await account.click(await shownAddress(cli), ADA_AT_ACME);
      expect(await cli.ended).toMatchObject({ code: 0 });
    });

    it('CL-01: a port that is taken is passed over, and the address carries the one that is listened on', async () => {
      const other = createServer();
      const listens = (): Promise<boolean> =>
        once(other.listen(8976, '127.0.0.1'), 'listening').then(
          () => true,
          () => false,
        );
      // A login of another suite may have it for a moment.
      await until(listens);
      const cli = account.start(['login', '--no-browser']);
      const query = new URL(await shownAddress(cli)).searchParams;
      expect(query.get('port')).not.toBe('8976');
      expect(query.get('redirect_uri')).toBe(`http://localhost:${query.get('port')}/callback`);
      other.close();
    });
  });

  describe('ends without a login', () => {
    it('CL-05: at once when it is denied on the platform; the browser says so too', async () => {
      const cli = account.start(['login', '--no-browser']);
      expect(await account.click(await shownAddress(cli), DENIED)).toMatch(/^400 [^]*Login failed/);
      expect(await cli.ended).toMatchObject({
        code: 1,
        stdout: '',
        stderr: expect.stringContaining('Error: Authentication failed: The login was denied.'),
      });
      expect(account.stored).toBeNull();
    });

    it.each([
      ['401', { status: 401 }],
      ['500', { status: 500 }],
      ['HTML', { status: 200, body: '<html>' }],
      ['valid: false', { status: 200, body: '{"valid":false}' }],
    ])('CL-09: when the verification answers %s: no success in the browser, nothing stored', async (_name, fault) => {
      account.platform.failNext('GET /api/cli/verify', fault, fault, fault);
      const cli = account.start(['login', '--no-browser']);
      expect(await account.click(await shownAddress(cli), ADA_AT_ACME)).toMatch(/^400 [^]*Login failed/);
      const { code, stderr } = await cli.ended;
      expect(code).toBe(1);
      expect(stderr).toContain('Error: The login could not be verified.');
      expect(account.stored).toBeNull();
    });

    it('when nobody comes within --timeout', async () => {
      const { code, stderr } = await account.run(['login', '--no-browser', '--timeout', '1']);
      expect(code).toBe(1);
      expect(stderr).toContain('Error: The login timed out: nobody finished it within 1 s.');
    });

    it.each([
      ['--timeout', '0'],
      ['--timeout', 'soon'],
    ])('2 for %s %s', async (...options) => {
      expect(await account.run(['login', ...options])).toMatchObject({ code: 2 });
    });

    it('130 for Ctrl-C on a terminal, 143 for SIGTERM; nothing is stored', async () => {
      const atTerminal = account.start(['login', '--no-browser'], { terminal: true });
      await shownAddress(atTerminal);
      atTerminal.child.stdin?.write('\u0003');
      const { code, stdout } = await atTerminal.ended;
      expect(code).toBe(130);
      expect(stdout).toContain('The login was cancelled; nothing was stored.');

      const cli = account.start(['login', '--json', '--no-browser']);
      await shownAddress(cli);
      const ended = await cli.stop('SIGTERM');
      expect(ended.code).toBe(143);
      expect(JSON.parse(ended.stdout)).toMatchObject({ ok: false, error: { code: 'CANCELLED', exitCode: 143 } });
      expect(account.stored).toBeNull();
    });

    it('3 for a platform URL that would show the token to anybody on the way', async () => {
      const env = { OSMOSIS_PLATFORM_URL: 'http://platform.example.com' };
      const { code, stderr } = await account.run(['login'], { env });
      expect(code).toBe(3);
      expect(stderr).toContain('is not https');
    });
  });

  describe('--device', () => {
    const enter = async (userCode: string | undefined, membership: string): Promise<void> => {
      const body = new URLSearchParams({ user_code: userCode ?? '', membership });
      expect((await fetch(`${account.platform.url}/device`, { method: 'POST', body })).status).toBe(200);
    };
    const shownCode = /enter the code ([A-Z]{4}-[A-Z]{4})/;

    it('shows a code, and logs in when it was entered on another machine', async () => {
      const cli = account.start(['login', '--device']);
      const [, code] = await cli.output(shownCode);
      expect(cli.stderr).toContain(`${account.platform.url}/device?user_code=${code}`);
      await enter(code, 'user_ada@org_labs');
      expect(await cli.ended).toMatchObject({ code: 0, stdout: expect.stringContaining('Labs (admin)') });
      expect(account.stored?.active_workspace).toBe('Labs');
    });

    it('ends with 1 when the code is refused', async () => {
      const cli = account.start(['login', '--device']);
      const [, code] = await cli.output(shownCode);
      await enter(code, DENIED);
      expect(await cli.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('denied on the platform') });
    });
  });

  describe('--token', () => {
    it('reads a token from standard input, whatever blanks are around it', async () => {
      const { token: secret } = account.platform.issue();
      const { code, stdout, stderr } = await account.runWith(`\n ${secret}\r\n`, ['login', '--token', '-']);
      expect(code).toBe(0);
      expect(stdout).toContain('Acme (owner)');
      expect(stdout + stderr).not.toContain(secret);
      expect(account.stored?.workspaces['Acme']).toMatchObject({ access_token: secret });
    });

    it.each([
      ['nothing', '', 'No token was given'],
      ['two lines', 'one\ntwo', 'line break'],
      ['a wrong token', 'wrong', 'The login could not be verified'],
    ])('%s on standard input is an error, and nothing is stored', async (_name, input, message) => {
      const { code, stderr } = await account.runWith(input, ['login', '--token', '-']);
      expect(code).toBe(1);
      expect(stderr).toContain(message);
      expect(account.stored).toBeNull();
    });

    it('does not take the token itself, and does not repeat it', async () => {
      const { code, stdout, stderr } = await account.run(['login', '--token', 'SECRET-7f3a']);
      expect(code).toBe(2);
      expect(stderr).toContain('--token takes no token');
      expect(stdout + stderr).not.toContain('SECRET-7f3a');
    });

    it.each([[['--device']], [['--no-browser']], [['--timeout', '9']]])('excludes %j', async (others) => {
      const { code, stderr } = await account.run(['login', '--token', '-', ...others]);
      expect(code).toBe(2);
      expect(stderr).toContain(`${others[0]} has no place`);
    });

    it('is not typed at a terminal, which would show it', async () => {
      const { code, stdout } = await account.run(['login', '--token', '-'], { terminal: true });
      expect(code).toBe(2);
      expect(stdout).toContain('typed at a terminal');
    });
  });

  describe('what is stored already', () => {
    const login = (member: number, ...options: string[]) => {
      const { token: secret } = account.platform.issue({ membership: account.platform.records.memberships[member] });
      return account.runWith(secret, ['login', '--token', '-', ...options]);
    };
    const names = (): string[] => Object.keys(account.stored?.workspaces ?? {});

    it('stays, also when another organisation has the same name', async () => {
      account.store({ member: 1 }, { member: 0 });
      expect(await login(2)).toMatchObject({ code: 0 });
      expect(names()).toEqual(['Labs', 'Acme', 'Acme (org_acme_2)']);
    });

    it('H 17: --force replaces the active login only, and not before the new one is verified', async () => {
      account.store({ member: 1 }, { member: 0 });
      const before = account.stored;
      expect(await account.runWith('wrong', ['login', '--force', '--token', '-'])).toMatchObject({ code: 1 });
      expect(account.stored).toEqual(before);
      expect(await login(2, '--force')).toMatchObject({ code: 0 });
      expect(names()).toEqual(['Labs', 'Acme']);
      expect(account.stored?.workspaces['Acme']).toMatchObject({ user: { email: 'bo@example.com' } });
      expect(account.platform.records.tokens.map(({ revoked }) => revoked)).toEqual([false, true, false]);
    });

    it('H 18: a file that cannot be read is kept under another name, and the user is told', async () => {
      writeFileSync(account.path, 'not json', { mode: 0o600 });
      const { code, stderr } = await login(0);
      expect(code).toBe(0);
      expect(stderr).toContain(`${account.path} cannot be read: it is no valid JSON`);
      expect(readdirSync(account.configDir).sort()).toEqual(['credentials.json', 'credentials.json.bak']);
    });

    it('a file of a newer program is refused before anybody is sent to a browser', async () => {
      writeFileSync(account.path, '{"version":9}', { mode: 0o600 });
      const { code, stderr } = await account.run(['login', '--no-browser']);
      expect(code).toBe(1);
      expect(stderr).toContain('written by a newer program');
      expect(stderr).not.toContain('/cli-auth');
    });

    it('is overridden by OSMOSIS_TOKEN, of which a login warns', async () => {
      const { token: secret } = account.platform.issue();
      const env = { OSMOSIS_TOKEN: 'another' };
      const { code, stderr } = await account.runWith(secret, ['login', '--token', '-'], { env });
      expect(code).toBe(0);
      expect(stderr).toContain('Warning: OSMOSIS_TOKEN is set and still decides.');
    });
  });

  it.each([
    [{ HOME: '/dev/null' }, '/dev/null/.config/osmosis'],
    [{ OSMOSIS_CONFIG_DIR: '/dev/null/here' }, '/dev/null/here'],
  ])('CL-19: with %j it says which directory cannot be written, and how to choose another', async (env, directory) => {
    const { code, stderr } = await runCli(['login'], { env: { OSMOSIS_PLATFORM_URL: account.platform.url, ...env } });
    expect(code).toBe(1);
    expect(stderr).toContain(`Cannot write ${directory}/credentials.json`);
    expect(stderr).toContain('OSMOSIS_CONFIG_DIR');
    expect(stderr).not.toContain('/cli-auth');
  });

  it('H 15: a .env file decides about the platform, and is found upwards', async () => {
    const cwd = createProject({ '.env': `OSMOSIS_PLATFORM_URL=${account.platform.url}\n`, 'deep/er/x': '' });
    const { token: secret } = account.platform.issue();
    const env = { OSMOSIS_PLATFORM_URL: undefined };
    const { code } = await account.runWith(secret, ['login', '--token', '-'], { cwd: join(cwd, 'deep/er'), env });
    expect(code).toBe(0);
    expect(existsSync(account.path)).toBe(true);
  });
});
