import { spawn } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { Account } from './support/account.js';
import { CLI, endProcesses, ensureBuilt, runCli } from './support/cli.js';

jest.setTimeout(120_000);

const LONG_AGO = { expires_at: '2020-01-01T00:00:00+00:00' };

describe('the commands of a stored login', () => {
  let account: Account;

  beforeAll(ensureBuilt);
  beforeEach(async () => (account = await Account.open()));
  afterEach(async () => {
    await endProcesses();
    await account.close();
  });

  const names = (): string[] => Object.keys(account.stored?.workspaces ?? {});
  const revoked = (): boolean[] => account.platform.records.tokens.map((token) => token.revoked);

  describe('whoami (spec D.3)', () => {
    it('tells from the file alone: user, workspaces, roles, what is active and what has run out', async () => {
      account.store({ member: 1, fields: LONG_AGO }, { member: 0 });
      const { code, stdout, stderr } = await account.run(['whoami']);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout.replace(/\d+ days ago/, 'n days ago')).toBe(
        'Email: ada@example.com\nName:  Ada Example\n\nWorkspaces (2):\n' +
          '  Labs (admin) [expired], expired n days ago\n  Acme (owner) *, expires in 89 days\n',
      );
      expect(account.platform.calls).toEqual([]);
    });

    it('ends with 0 when the active login has run out, and says what to do', async () => {
      account.store({ fields: LONG_AGO });
      const { code, stderr } = await account.run(['whoami']);
      expect(code).toBe(0);
      expect(stderr).toBe("Warning: Run 'osmosis login' to renew the login for 'Acme'.\n");
    });

    it('gives the same as JSON, without the token', async () => {
      account.store({ member: 0 });
      const { stdout } = await account.run(['whoami', '--json', '--verify']);
      expect(JSON.parse(stdout)).toMatchObject({
        ok: true,
        command: 'whoami',
        data: {
          source: 'store',
          workspaces: [{ name: 'Acme', active: true, state: 'valid', expiry: 'expires in 89 days' }],
          verified: { organization: { id: 'org_acme', role: 'owner' } },
        },
      });
      expect(stdout).not.toContain(account.platform.records.tokens[0]?.token);
    });

    it('with OSMOSIS_TOKEN: --verify asks the platform whose it is', async () => {
      const { token } = account.platform.issue({ membership: account.platform.records.memberships[1] });
      const env = { OSMOSIS_TOKEN: token, OSMOSIS_TOKEN_PLATFORM_URL: account.platform.url };
      expect(await account.run(['whoami'], { env })).toMatchObject({
        code: 0,
        stdout: '',
        stderr: expect.stringContaining('--verify shows whose it is'),
      });
      const { stdout } = await account.run(['whoami', '--verify'], { env });
      expect(stdout).toMatch(/Email: +ada@example\.com[^]*Workspace: +Labs \(admin\)/);
    });

    it('names in the file cannot steer the terminal', async () => {
      account.store({ name: 'A\u001b[2Jcme', fields: { user: { id: 'u', email: 'a\u0007@b.c', name: null } } });
      const { stdout } = await account.run(['whoami']);
      expect(stdout).toContain('A[2Jcme');
      expect(stdout).not.toMatch(/(?!\n)\p{Cc}/u);
    });
  });

  describe('CL-20: each way of not being logged in has a message of its own', () => {
    const verify = (env: Record<string, string> = {}) => account.run(['whoami', '--verify'], { env });

    it('never logged in', async () => {
      expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('Error: Not logged in.') });
    });

    it('expired, found without asking the platform', async () => {
      account.store({ fields: LONG_AGO });
      expect(await verify()).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/has run out \(expired .* ago\)/),
      });
      expect(account.platform.calls).toEqual([]);
    });

    it('revoked; H 19: the stored login stays', async () => {
      account.store({ member: 0 });
      for (const token of account.platform.records.tokens) token.revoked = true;
      expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('does not accept the login') });
      expect(names()).toEqual(['Acme']);
    });

    it('an expiry without a time zone', async () => {
      account.store({ fields: { expires_at: '2099-01-01T00:00:00' } });
      expect(await verify()).toMatchObject({ code: 1, stderr: expect.stringContaining('has no UTC offset') });
    });

    it('the platform cannot be reached: 5, as for every remote service', async () => {
      account.store({ member: 0, fields: { platform_url: 'http://127.0.0.1:9' } });
      const { code, stderr } = await verify({ OSMOSIS_PLATFORM_URL: 'http://127.0.0.1:9' });
      expect(code).toBe(5);
      expect(stderr).toContain('Cannot reach the platform');
    });
  });

  describe('logout (spec D.4)', () => {
    it('nothing stored is no error', async () => {
      expect(await account.run(['logout'])).toMatchObject({
        code: 0,
        stdout: '',
        stderr: expect.stringMatching(/nothing to do/),
      });
    });

    it('H 17: revokes the token on the platform, then deletes it here', async () => {
      account.store({ member: 0 });
      const { code, stdout } = await account.run(['logout', '--yes']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'Logged out of Acme; its token was revoked.\n' });
      expect(revoked()).toEqual([true]);
      expect(account.stored).toMatchObject({ active_workspace: null, workspaces: {} });
    });

    it('--no-revoke leaves the platform alone', async () => {
      account.store({ member: 0 });
      const { stdout } = await account.run(['logout', '-y', '--no-revoke']);
      expect(stdout).toContain('its token stays valid on the platform');
      expect(account.platform.calls).toEqual([]);
      expect(names()).toEqual([]);
    });

    it('deletes also when the platform fails, and warns that the token is still good', async () => {
      account.store({ member: 0 });
      const fault = { status: 503 };
      account.platform.failNext('DELETE /api/cli/tokens/{id}', fault, fault, fault);
      const { code, stderr } = await account.run(['logout', '-y']);
      expect(code).toBe(0);
      expect(stderr).toMatch(
        /^Warning: The token for 'Acme' was not revoked and is valid until it expires\. .*HTTP 503/,
      );
      expect(names()).toEqual([]);
    });

    it('a name needs no question, and the rest stays', async () => {
      account.store({ member: 1 }, { member: 0 });
      expect(await account.run(['logout', 'Acme'])).toMatchObject({
        code: 0,
        stderr: 'The active workspace is Labs.\n',
      });
      expect(names()).toEqual(['Labs']);
      expect(await account.run(['logout', 'Acme'])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/no workspace 'Acme'/),
      });
    });

    it('--all --yes, with --json', async () => {
      account.store({ member: 1, fields: LONG_AGO }, { member: 0 });
      const { code, stdout } = await account.run(['logout', '--all', '-y', '--json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        command: 'logout',
        data: {
          results: [
            { workspace: 'Labs', token: 'expired' },
            { workspace: 'Acme', token: 'revoked' },
          ],
          active: null,
        },
      });
      expect(names()).toEqual([]);
    });

    it('a file that cannot be read is kept under another name', async () => {
      writeFileSync(account.path, '[]', { mode: 0o600 });
      expect(await account.run(['logout'])).toMatchObject({ code: 2 });
      const { code, stderr } = await account.run(['logout', '--all', '--yes']);
      expect(code).toBe(0);
      expect(stderr).toContain(`It was kept as ${account.path}.bak`);
      expect(readdirSync(account.configDir)).toEqual(['credentials.json.bak']);
    });

    describe('at a terminal', () => {
      const answer = async (args: readonly string[], question: RegExp, ...answers: string[]) => {
        const cli = account.start(args, { terminal: true });
        await cli.output(question);
        cli.child.stdin?.write(answers.join(''));
        return cli.ended;
      };

      it.each([
        ['y\n', []],
        ['YES\n', []],
        ['\n', ['Acme']],
        ['n\n', ['Acme']],
        ['\u0004', ['Acme']],
      ])('one login is confirmed: %j', async (text, left) => {
        account.store({ member: 0 });
        const { code } = await answer(['logout'], /Log out of Acme \(owner\)\? \[y\/N\] /, text);
        expect(code).toBe(0);
        expect(names()).toEqual(left);
      });

      it('several: a numbered menu with marks; the chosen one is confirmed', async () => {
        account.store({ member: 1, fields: LONG_AGO }, { member: 0 });
        const { code, stdout } = await answer(['logout'], /Number: $/m, '1\n', 'y\n');
        expect(code).toBe(0);
        expect(stdout).toMatch(
          / 1\) Labs \(admin\) \[expired\]\r\n +2\) Acme \(owner\) \(active\)\r\n +3\) all of them\r\n/,
        );
        expect(names()).toEqual(['Acme']);
      });

      it.each([
        ['3\n', 0, []],
        ['0\n', 0, ['Labs', 'Acme']],
        ['Acme\n', 0, ['Labs', 'Acme']],
        ['\u0004', 0, ['Labs', 'Acme']],
        ['9\n', 1, ['Labs', 'Acme']],
      ])('-y does not leave out the menu: %j ends with %d', async (text, exitCode, left) => {
        account.store({ member: 1 }, { member: 0 });
        const { code } = await answer(['logout', '-y'], /Number: $/m, text);
        expect(code).toBe(exitCode);
        expect(names()).toEqual(left);
      });

      it('Ctrl-C at a question ends with 130 and changes nothing', async () => {
        account.store({ member: 0 });
        expect(await answer(['logout'], /\[y\/N\]/, '\u0003')).toMatchObject({ code: 130 });
        expect(names()).toEqual(['Acme']);
      });
    });

    describe('CL-13: where nobody can be asked it says which option avoids the question', () => {
      beforeEach(() => account.store({ member: 0 }));
      afterEach(() => expect(names()).toEqual(['Acme']));

      it('standard input is a pipe that says nothing', async () => {
        expect(await account.run(['logout'])).toMatchObject({
          code: 2,
          stderr: expect.stringMatching(/Nobody can be asked here\. Give --yes\./),
        });
      });

      it('standard input is empty', async () => {
        expect(await account.runWith('', ['logout'])).toMatchObject({
          code: 2,
          stderr: expect.stringMatching(/--yes/),
        });
      });

      it.each(['1', 'true'])('CI=%s at a terminal', async (CI) => {
        const { code, stdout } = await account.run(['logout'], { terminal: true, env: { CI } });
        expect(code).toBe(2);
        expect(stdout).toContain('--yes');
      });

      it('stdout is a pipe, stdin a terminal', async () => {
        const command = `'${process.execPath}' '${CLI}' logout | cat; exit \${PIPESTATUS[0]}`;
        const env = { ...account.env, PATH: process.env['PATH'], SHELL: '/bin/bash', TERM: 'xterm' };
        const shell = spawn('script', ['-qec', command, '/dev/null'], { env, stdio: 'pipe' });
        expect(await new Promise((done) => shell.on('close', done))).toBe(2);
      });

      it('with --json', async () => {
        const { code, stdout } = await account.run(['logout', '--json'], { terminal: true });
        expect(code).toBe(2);
        expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'USAGE' } });
      });
    });
  });

  describe('workspace (spec D.5)', () => {
    it('alone tells its commands, and ends with 0', async () => {
      const { code, stdout } = await account.run(['workspace']);
      expect(code).toBe(0);
      for (const name of ['list', 'current', 'switch']) expect(stdout).toContain(`workspace ${name}`);
    });

    it('list and current, with nothing stored, are hints', async () => {
      for (const name of ['list', 'current']) {
        const { code, stdout, stderr } = await account.run(['workspace', name]);
        expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
        expect(stderr).toContain('osmosis login');
      }
    });

    it('list', async () => {
      account.store({ member: 1, fields: LONG_AGO }, { member: 0 });
      const { stdout } = await account.run(['workspace', 'list']);
      expect(stdout).toMatch(
        /^ {2}Labs \(admin\) \[expired\], expired \d+ days ago\n {2}Acme \(owner\) \(active\), expires in 89 days\n$/,
      );
      const json = await account.run(['workspace', 'list', '--json']);
      expect(JSON.parse(json.stdout)).toMatchObject({
        command: 'workspace list',
        data: { workspaces: [{ name: 'Labs', state: 'expired' }, { name: 'Acme' }] },
      });
    });

    it('switch changes what current shows; to an expired one too, with advice', async () => {
      account.store({ member: 1, fields: LONG_AGO }, { member: 0 });
      const { code, stdout, stderr } = await account.run(['workspace', 'switch', 'Labs']);
      expect({ code, stdout }).toEqual({ code: 0, stdout: 'Switched to Labs (admin) [expired].\n' });
      expect(stderr).toBe("Warning: Run 'osmosis login' to renew the login for 'Labs'.\n");
      const current = await account.run(['workspace', 'current']);
      expect(current.stdout).toMatch(/^Workspace: Labs \(admin\) \[expired\]\nEmail: +ada@example\.com\n/);
      expect(current.stdout).toMatch(/^Expires: +2020-01-01 \(expired \d+ days ago\)$/m);
    });

    it('switch to one that is not there: 1, with those that are', async () => {
      account.store({ member: 0 });
      const { code, stderr } = await account.run(['workspace', 'switch', 'Acne']);
      expect(code).toBe(1);
      expect(stderr).toBe("Error: There is no workspace 'Acne'. Known: 'Acme'. See 'osmosis workspace list'.\n");
      expect(await account.run(['workspace', 'switch'])).toMatchObject({ code: 2 });
      expect(await account.run(['workspace', 'swich'])).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(/workspace switch/),
      });
    });

    it('CL-11: many at once leave a whole file that names one of them', async () => {
      account.store({ member: 1 }, { member: 0 });
      const runs = Array.from({ length: 6 }, (_, index) => [
        account.run(['workspace', 'switch', index % 2 === 0 ? 'Labs' : 'Acme']),
        account.run(['workspace', 'list', '--json']),
      ]);
      for (const { code } of await Promise.all(runs.flat())) expect(code).toBe(0);
      expect(['Labs', 'Acme']).toContain(account.stored?.active_workspace);
      expect(names()).toEqual(['Labs', 'Acme']);
      expect(readdirSync(account.configDir)).toEqual(['credentials.json']);
    });
  });

  it.each([{ HOME: '/dev/null' }, { HOME: '/' }, { HOME: undefined }, { HOME: '/nonexistent' }])(
    'CL-19: reading works with %j, and writes nothing',
    async (env) => {
      const odd = { OSMOSIS_CONFIG_DIR: undefined, ...env };
      expect(await runCli(['whoami'], { env: odd })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^Error: Not logged in\./),
      });
      expect(await runCli(['workspace', 'list'], { env: odd })).toMatchObject({ code: 0 });
      expect(await runCli(['logout', '-y'], { env: odd })).toMatchObject({ code: 0 });
    },
  );

  it('none of these commands loads Nest, a validator or an HTTP client that it does not use', async () => {
    account.store({ member: 0 });
    for (const args of [['whoami'], ['workspace', 'list'], ['workspace', 'current']]) {
      const { code, stderr } = await account.run(args, { env: { NODE_DEBUG: 'esm' } });
      expect(code).toBe(0);
      expect(stderr).not.toMatch(/node_modules\/(@nestjs|nest-commander|class-validator|openai|undici)\//);
    }
    const { stderr } = await account.run(['whoami', '--verify'], { env: { NODE_DEBUG: 'esm' } });
    expect(stderr).toMatch(/node_modules\/undici\//);
    expect(stderr).not.toMatch(/node_modules\/(@nestjs|nest-commander|class-validator|openai)\//);
  });
});
