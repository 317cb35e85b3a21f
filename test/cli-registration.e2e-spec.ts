import { chmodSync, readFileSync } from 'node:fs';
import { Account } from './support/account.js';
import {
  AGENT_SOURCE,
  createProject,
  endProcesses,
  ensureBuilt,
  removeProjects,
  type CliOptions,
  type RunningCli,
} from './support/cli.js';
import { until } from './support/init.js';

jest.setTimeout(120_000);

const REGISTER = 'POST /api/cli/rollout-server/register';
const SERVE = ['serve', '-m', 'agent.ts', '-H', '127.0.0.1', '-p', '0', '--store', 'memory'];

interface Record {
  readonly level: string;
  readonly message: string;
  readonly params: { readonly [fact: string]: unknown };
}

describe('serve registers with the platform (spec 9.2, 9.3)', () => {
  let account: Account;

  beforeAll(ensureBuilt);
  beforeEach(async () => {
    account = await Account.open();
    account.store({ member: 0 });
  });
  afterEach(async () => {
    await endProcesses();
    await account.close();
  });
  afterAll(removeProjects);

  const serve = (args: readonly string[] = [], options: CliOptions = {}): RunningCli =>
    account.start([...SERVE, ...args], { cwd: createProject({ 'agent.ts': AGENT_SOURCE }), ...options });

  /** What the log has told of the registration so far. */
  const records = ({ stderr }: RunningCli): Record[] =>
    stderr
      .split('\n')
      .filter((line) => line.includes('"context":"Registration"'))
      .map((line) => JSON.parse(line) as Record);

  it('healthy: the platform has the address and the key, and reaches the server with them', async () => {
    const cli = serve();
    const { port, apiKey } = await cli.listening();
    await cli.output(/Registered with Osmosis Platform/);
    expect([...account.platform.records.servers.values()]).toEqual([
      expect.objectContaining({ host: '127.0.0.1', port, agent: 'calculator', apiKey, status: 'healthy' }),
    ]);
    const [call] = account.platform.callsOf(REGISTER);
    expect(call?.authorization).toBe(`Bearer ${account.platform.records.tokens[0]?.token}`);
    expect(call?.userAgent).toMatch(/^osmosis-cli\/\d/);
    expect(records(cli)).toMatchObject([
      { level: 'log', params: { success: true, status: 'healthy', agent: 'calculator', host: '127.0.0.1', port } },
    ]);
    const { code, stdout, stderr } = await cli.stop();
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
    expect(stderr).not.toContain(apiKey);
    expect(stdout + stderr).not.toContain(account.platform.records.tokens[0]?.token);
  });

  it('12.9: on a terminal in the form of the reference, below the banner', async () => {
    const cli = serve([], { terminal: true, env: { NO_COLOR: '1' } });
    await cli.output(/Active rollouts: 0\r\n/);
    const text = cli.stdout.replaceAll('\r', '');
    expect(text).toMatch(
      /\n\[OK\] Registered with Osmosis Platform\n {5}Agent: calculator\n {5}Address: 127\.0\.0\.1:\d+\n {5}Status: healthy\n {5}Active rollouts: 0\n/,
    );
    cli.child.stdin?.write('\u0003');
    expect((await cli.ended).code).toBe(0);
  });

  it('unhealthy: the platform cannot reach the address; the server runs on, and says what to do', async () => {
    const cli = serve(['--public-host', '127.0.0.9'], { terminal: true, env: { NO_COLOR: '1' } });
    await cli.output(/tried again/);
    const text = cli.stdout.replaceAll('\r', '');
    expect(text).toMatch(
      /\n\[WARNING\] Registered but health check failed\n {5}Agent: calculator\n {5}Address: 127\.0\.0\.9:\d+\n {5}Status: unhealthy\n {5}Error: The health check failed.*\n\n {5}The server will continue running\.\n {5}Note: Platform cannot reach http:\/\/127\.0\.0\.9:\d+\n {5}Tip: Use a VM/,
    );
    const port = /Address: +127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    expect((await fetch(`http://127.0.0.1:${port}/health`)).status).toBe(200);
  });

  it('refused: a revoked login is told once, the server runs on, and H 19: the login stays', async () => {
    for (const token of account.platform.records.tokens) token.revoked = true;
    const before = readFileSync(account.path, 'utf8');
    const cli = serve();
    const { url } = await cli.listening();
    await cli.output(/Failed to register with Platform/);
    expect(records(cli)).toMatchObject([
      { level: 'warn', params: { success: false, retrying: false, error: expect.stringContaining('osmosis login') } },
    ]);
    expect((await fetch(`${url}/health`)).status).toBe(200);
    expect(readFileSync(account.path, 'utf8')).toBe(before);
    expect((await cli.stop()).code).toBe(0);
  });

  it('flapping: fails, is found unhealthy, and is healthy in the end; each change is told', async () => {
    const unhealthy = { id: 's', status: 'unhealthy', health_check_result: { error: 'no route' } };
    account.platform.failNext(REGISTER, { status: 503 }, { status: 200, body: JSON.stringify(unhealthy) });
    const cli = serve();
    await cli.output(/Registered with Osmosis Platform/);
    expect(records(cli)).toMatchObject([
      { level: 'warn', params: { success: false, status: 'error', retrying: true } },
      { level: 'warn', params: { success: true, status: 'unhealthy', error: 'no route', retrying: true } },
      { level: 'log', params: { success: true, status: 'healthy' } },
    ]);
    expect(account.platform.callsOf(REGISTER)).toHaveLength(3);
  });

  it('a platform that does not answer holds up neither the serving nor the end', async () => {
    account.platform.failNext(REGISTER, { hang: true });
    const cli = serve();
    const { url } = await cli.listening();
    await until(() => account.platform.callsOf(REGISTER).length > 0, 'it registers');
    expect((await fetch(`${url}/health`)).status).toBe(200);
    const stoppedAt = Date.now();
    expect((await cli.stop()).code).toBe(0);
    expect(Date.now() - stoppedAt).toBeLessThan(10_000); // the call itself would take 15 s
  });

  it('OSMOSIS_PUBLIC_HOST is what the platform is given, whatever is listened on', async () => {
    const cli = serve(['-H', '0.0.0.0'], { env: { OSMOSIS_PUBLIC_HOST: 'localhost' } });
    await cli.output(/Registered with Osmosis Platform/);
    expect([...account.platform.records.servers.values()]).toMatchObject([{ host: 'localhost', status: 'healthy' }]);
  });

  it('--public-host beats the variable', async () => {
    const env = { OSMOSIS_PUBLIC_HOST: 'wrong.example.com' };
    const cli = serve(['--public-host', '127.0.0.1'], { env });
    await cli.output(/Registered with Osmosis Platform/);
    expect([...account.platform.records.servers.values()]).toMatchObject([{ host: '127.0.0.1' }]);
  });

  it.each(['http://x.example.com', 'x.example.com:8000', 'a..b', '-x'])(
    '--public-host=%s ends with 3',
    async (host) => {
      const { code, stderr } = await serve([`--public-host=${host}`]).ended;
      expect(code).toBe(3);
      expect(stderr).toContain(`--public-host is '${host}', but must be a host name or an IP address`);
    },
  );

  it('warns of a credentials file that others can read', async () => {
    chmodSync(account.path, 0o644);
    const cli = serve();
    await cli.output(/Registered with Osmosis Platform/);
    expect(cli.stderr).toContain(`Other users of this machine can read ${account.path}. Run: chmod 600`);
  });

  it.each(['--skip-register', '--local'])('%s asks nobody, and needs no login', async (flag) => {
    const cli = serve([flag], { env: { OSMOSIS_CONFIG_DIR: '/dev/null/none' } });
    await cli.listening();
    expect((await cli.stop()).code).toBe(0);
    expect(account.platform.calls).toEqual([]);
  });

  it.each([
    ['an expired login', { expires_at: '2020-01-01T00:00:00Z' }, 'has run out'],
    ['a login of another platform', { platform_url: 'https://other.example.com' }, 'belongs to https://other'],
  ])('%s: 1 before anything is loaded, with the way to serve without', async (_name, fields, message) => {
    account.store({ fields });
    const { code, stdout, stderr } = await account.run(['serve', '-m', 'no-such-file.ts']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain(message);
    expect(stderr).toContain('Or use --skip-register to serve without the platform.');
    expect(account.platform.calls).toEqual([]);
  });
});
