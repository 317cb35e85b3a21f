import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createMockTrainerApp, driveRollouts, RolloutCompletionTracker, toolCall } from '#testing';
import {
  AGENT_SOURCE,
  createProject,
  endProcesses,
  ensureBuilt,
  removeProjects,
  runCli,
  startCli,
} from './support/cli.js';
import { PATIENT } from './support/init.js';

jest.setTimeout(120_000);
beforeAll(ensureBuilt);
afterEach(endProcesses);
afterAll(removeProjects);

/** Arguments that serve the project's one file on a free port. */
const SERVE = ['serve', '-m', 'agent.ts', '-H', '127.0.0.1', '-p', '0'];

function agentProject(files: Record<string, string> = {}): string {
  return createProject({ 'agent.ts': AGENT_SOURCE, ...files });
}

async function status(url: string, init: RequestInit = {}): Promise<number> {
  return (await fetch(url, init)).status;
}

const bearer = (key: string): RequestInit => ({ headers: { authorization: `Bearer ${key}` } });

/** Serves the project's agent, and gives its rollouts more time to end than any test takes. */
const GRACE = `
import { Module } from '@nestjs/common';
import { OsmosisModule } from 'nestjs-osmosis';
import { CalculatorAgent } from './agent.js';
@Module({
  imports: [OsmosisModule.forRoot({ rollouts: { shutdownGraceMs: 600_000 } })],
  providers: [CalculatorAgent],
})
export class AppModule {}
`;

describe('a folder with one .ts file and a package.json', () => {
  let trainer: NestFastifyApplication;
  const tracker = new RolloutCompletionTracker(PATIENT);

  beforeAll(async () => {
    trainer = await createMockTrainerApp({ tracker, script: [[toolCall('add', { a: 2, b: 3 })], '5'], logger: false });
    await trainer.listen(0, '127.0.0.1');
  });
  afterAll(() => trainer.close());

  it('is served: rollouts run, tools are called, rewards come; SIGTERM drains and ends with 0', async () => {
    const cli = startCli([...SERVE, '--skip-register'], { cwd: agentProject() });
    const { url, apiKey, agent } = await cli.listening();
    expect(agent).toBe('calculator');
    const [result] = await driveRollouts({
      serverUrl: url,
      trainerUrl: await trainer.getUrl(),
      tracker,
      apiKey,
      ...PATIENT,
      tasks: [{ messages: [{ role: 'user', content: '2 + 3?' }], metadata: { ground_truth: '5' } }],
    });
    expect(result?.completion).toMatchObject({ status: 'COMPLETED', reward: 1 });
    const { code, stdout } = await cli.stop('SIGTERM');
    expect(code).toBe(0);
    expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  });

  it('a signal lets a running rollout end; the second one ends the server at once with 130', async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    const slow = await createMockTrainerApp({
      tracker,
      script: async () => released.then(() => 'done'),
      logger: false,
    });
    await slow.listen(0, '127.0.0.1');
    const start = async (rolloutId: string) => {
      const args = ['serve', '-m', 'app.module.ts', '-H', '127.0.0.1', '-p', '0', '--local'];
      const cli = startCli(args, { cwd: agentProject({ 'app.module.ts': GRACE }) });
      const { url } = await cli.listening();
      const init = await fetch(`${url}/v1/rollout/init`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          rollout_id: rolloutId,
          server_url: await slow.getUrl(),
          messages: [{ role: 'user', content: 'hi' }],
          completion_params: {},
        }),
      });
      expect(init.status).toBe(202);
      cli.child.kill('SIGINT');
      await cli.output(/Stopping \(1 running\)/);
      return cli;
    };

    const impatient = await start('slow-one');
    expect(await impatient.stop('SIGINT')).toMatchObject({ code: 130 });

    const patient = await start('slow-two');
    release();
    expect(await patient.ended).toMatchObject({ code: 0 });
    expect(await tracker.waitFor('slow-two')).toMatchObject({ status: 'COMPLETED' });
    await slow.close();
  });
});

describe('API key (spec 9.1)', () => {
  it('AU: is generated, shown once, asked for, and never logged again', async () => {
    const cli = startCli([...SERVE, '--skip-register', '--log-level', 'debug'], { cwd: agentProject() });
    const { url, apiKey = '' } = await cli.listening();
    expect(apiKey).toMatch(/^osm_rollout_[A-Za-z0-9_-]{43}$/);
    expect(await status(`${url}/platform/health`)).toBe(401);
    expect(await status(`${url}/platform/health`, bearer(`${apiKey}x`))).toBe(401);
    expect(await status(`${url}/platform/health`, bearer(apiKey))).toBe(200);
    expect(await status(`${url}/health`)).toBe(200);
    const { stdout, stderr } = await cli.stop();
    expect(stdout.split(apiKey)).toHaveLength(2);
    expect(stderr).not.toContain(apiKey);
  });

  it('AU-05: given by OSMOSIS_API_KEY, it is used and never shown', async () => {
    const env = { OSMOSIS_API_KEY: 'SECRET-7f3a' };
    const cli = startCli([...SERVE, '--skip-register', '--log-level', 'debug'], { cwd: agentProject(), env });
    const event = await cli.listening();
    expect(event).toMatchObject({ apiKeySource: 'provided' });
    expect(await status(`${event.url}/platform/health`, bearer('SECRET-7f3a'))).toBe(200);
    const { stdout, stderr } = await cli.stop();
    expect(stdout + stderr).not.toContain('SECRET-7f3a');
  });

  it('on the command line it works, with a warning', async () => {
    const cli = startCli([...SERVE, '--skip-register', '--api-key', 'given'], { cwd: agentProject() });
    const { url } = await cli.listening();
    expect(await status(`${url}/platform/health`, bearer('given'))).toBe(200);
    expect(cli.stderr).toContain('--api-key is visible in the list of processes');
  });

  it('several in a file are all accepted, for rotation', async () => {
    const cwd = agentProject({ 'keys.txt': '# old\nfirst-key\n\n# new\n  second-key  \n' });
    const cli = startCli([...SERVE, '--skip-register', '--api-key-file', 'keys.txt'], { cwd });
    const { url } = await cli.listening();
    for (const [key, expected] of [
      ['first-key', 200],
      ['second-key', 200],
      ['# old', 401],
    ] as const) {
      expect(await status(`${url}/platform/health`, bearer(key))).toBe(expected);
    }
  });

  it('--local checks none: /platform/health is 404 (spec 1.1)', async () => {
    const cli = startCli([...SERVE, '--local'], { cwd: agentProject() });
    const event = await cli.listening();
    expect(event).toMatchObject({ apiKeySource: 'disabled', registration: 'skipped' });
    expect(await status(`${event.url}/platform/health`)).toBe(404);
  });
});

describe('what keeps a server from starting', () => {
  it('spec 2.6: --local and --api-key exclude each other', async () => {
    const { code, stderr } = await runCli([...SERVE, '--local', '--api-key', 'k'], { cwd: agentProject() });
    expect(code).toBe(2);
    expect(stderr).toContain('--local disables the API key check, so --api-key has no place.');
  });

  it('spec 2.6: nobody is logged in', async () => {
    const { code, stderr } = await runCli(SERVE, { cwd: agentProject() });
    expect(code).toBe(1);
    expect(stderr).toContain("Error: Not logged in. Please run 'osmosis login' first, or use --skip-register");
  });

  it('CL-17: a port that is taken, named with who has it and how to pick another', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await new Promise((done) => blocker.once('listening', done));
    const { port } = blocker.address() as AddressInfo;
    const cwd = agentProject();
    const { code, stderr } = await runCli(['serve', '-m', 'agent.ts', '--local', '-H', '127.0.0.1', '-p', `${port}`], {
      cwd,
    });
    blocker.close();
    expect(code).toBe(1);
    expect(stderr).toContain(
      `Error: Port ${port} is already in use by node (pid ${process.pid}). Choose another with -p`,
    );
  });

  it('a host that is no address of this machine', async () => {
    const args = ['serve', '-m', 'agent.ts', '--local', '-p', '0'];
    const { code, stderr } = await runCli(args, { cwd: agentProject(), env: { HOST: '192.0.2.1' } });
    expect(code).toBe(1);
    expect(stderr).toContain("Cannot listen on host '192.0.2.1' (from the variable HOST in the environment)");
  });

  it('an invalid agent: every problem, once, and exit code 4', async () => {
    const source = AGENT_SOURCE.replace("'Add two numbers'", "''").replace('@Reward()', '@Reward({ weight: NaN })');
    const { code, stdout, stderr } = await runCli([...SERVE, '--local'], {
      cwd: createProject({ 'agent.ts': source }),
    });
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr.match(/CalculatorAgent\.add/g)).toHaveLength(1);
    expect(stderr).toContain('CalculatorAgent.exact');
  });

  it('a run that is no async method; --no-validate lets it pass', async () => {
    const source = AGENT_SOURCE.replace(
      '@Tool(',
      'run(ctx: RolloutContext) { return ctx.complete([]); }\n  @Tool(',
    ).replace('Reward,', 'Reward, RolloutContext,');
    const cwd = createProject({ 'agent.ts': source });
    const { code, stderr } = await runCli([...SERVE, '--local'], { cwd });
    expect(code).toBe(4);
    expect(stderr).toContain("[RUN_NOT_ASYNC] run: 'run' must be async.");
    const cli = startCli([...SERVE, '--local', '--no-validate'], { cwd });
    await cli.listening();
  });
});

describe('output', () => {
  it('on a terminal there is the banner of the reference, and Ctrl-C drains and ends with 0', async () => {
    const cli = startCli([...SERVE, '--skip-register'], { cwd: agentProject(), terminal: true });
    await cli.output(/Stop with Ctrl-C/);
    expect(cli.stdout).toMatch(/RolloutServer/);
    expect(cli.stdout).toMatch(/Agent: +calculator/);
    expect(cli.stdout).toMatch(/Address: +127\.0\.0\.1:\d+/);
    expect(cli.stdout).toMatch(/API Key: +osm_rollout_[\w-]{43}/);
    expect(cli.stdout).toMatch(/Registration: +skipped \(local testing mode\)/);
    cli.child.stdin?.write('\u0003');
    expect((await cli.ended).code).toBe(0);
  });

  it('Ctrl-C before the server serves ends with 130', async () => {
    const cwd = createProject({
      'agent.ts': `${AGENT_SOURCE}\nconsole.error('LOADING'); await new Promise(() => setTimeout(() => {}, 60_000));`,
    });
    const cli = startCli([...SERVE, '--local'], { cwd });
    await cli.output(/LOADING/);
    expect(await cli.stop('SIGINT')).toMatchObject({ code: 130 });
  });

  it('--log gives each run a folder of its own for the traces', async () => {
    const cwd = agentProject();
    const cli = startCli([...SERVE, '--local', '--log', 'traces/here'], { cwd });
    const { traceDir } = await cli.listening();
    expect(traceDir).toMatch(/traces\/here\/\d{10}$/);
    expect(readdirSync(join(cwd, 'traces/here'))).toHaveLength(1);
  });

  it('logs go to stderr, one JSON object a line, as severe as --log-level says', async () => {
    const cli = startCli([...SERVE, '--local', '--log-level', 'error'], { cwd: agentProject() });
    await cli.listening();
    expect((await cli.stop()).stderr).toBe('');
    const chatty = startCli([...SERVE, '--local'], { cwd: agentProject() });
    await chatty.listening();
    const { stderr } = await chatty.stop();
    for (const line of stderr.trim().split('\n')) expect(JSON.parse(line)).toHaveProperty('message');
  });
});

it('13.15: a rejected promise that nobody handles is logged, and the server goes on', async () => {
  const stray = '\nsetInterval(() => void Promise.reject(new Error("stray")), 100);\n';
  const cli = startCli([...SERVE, '--local'], { cwd: createProject({ 'agent.ts': AGENT_SOURCE + stray }) });
  const { url } = await cli.listening();
  await cli.output(/A promise was rejected and nobody handled it: stray/);
  expect(await status(`${url}/health`)).toBe(200);
});

it('CL-19: serves with a HOME that cannot be used', async () => {
  const cli = startCli([...SERVE, '--local'], { cwd: agentProject(), env: { HOME: '/nonexistent' } });
  const { url } = await cli.listening();
  expect(await status(`${url}/health`)).toBe(200);
});

it('precedence: option before environment before .env', async () => {
  const cwd = agentProject({ '.env': 'HOST=127.0.0.2\nOSMOSIS_PUBLIC_HOST=from-file\n' });
  const args = ['serve', '-m', 'agent.ts', '--local', '-p', '0'];
  const cli = startCli(args, { cwd, env: { OSMOSIS_PUBLIC_HOST: 'from-environment' } });
  expect(await cli.listening()).toMatchObject({ host: '127.0.0.2', publicHost: 'from-environment' });
  await cli.stop();
  const other = startCli([...args, '-H', '127.0.0.3'], { cwd });
  expect(await other.listening()).toMatchObject({ host: '127.0.0.3', publicHost: 'from-file' });
});

describe('a Nest module', () => {
  const MODULE = `
import { Module } from '@nestjs/common';
import { OsmosisModule } from 'nestjs-osmosis';
import { CalculatorAgent } from './agent.js';
import { SecondAgent } from './second.js';
@Module({ imports: [OsmosisModule.forRoot({ apiKeys: 'own-key' })], providers: [CalculatorAgent, SecondAgent] })
export class AppModule {}
`;
  const SECOND = `
import { Agent } from 'nestjs-osmosis';
@Agent({ name: 'second' })
export class SecondAgent {}
`;
  const project = (): string => agentProject({ 'second.ts': SECOND, 'app.module.ts': MODULE });

  it('keeps its own OsmosisModule and keys; --agent chooses the default of several agents', async () => {
    const cli = startCli(['serve', '-m', '.', '-H', '127.0.0.1', '-p', '0', '--skip-register', '--agent', 'second'], {
      cwd: project(),
    });
    const event = await cli.listening();
    expect(event).toMatchObject({ agent: 'second', agents: ['calculator', 'second'], apiKeySource: 'provided' });
    expect(await status(`${event.url}/platform/health`, bearer('own-key'))).toBe(200);
  });

  it('the command line beats its options', async () => {
    const args = [
      'serve',
      '-m',
      'app.module.ts:AppModule',
      '-H',
      '127.0.0.1',
      '-p',
      '0',
      '--skip-register',
      '--api-key',
      'mine',
    ];
    const cli = startCli(args, { cwd: project() });
    const { url, agent } = await cli.listening();
    expect(agent).toBeNull();
    expect(await status(`${url}/platform/health`, bearer('own-key'))).toBe(401);
    expect(await status(`${url}/platform/health`, bearer('mine'))).toBe(200);
  });
});

it('--reload starts anew when a source file changes, survives a broken one, and ends with one signal', async () => {
  const cwd = agentProject();
  const cli = startCli([...SERVE, '--skip-register', '--reload'], { cwd });
  const first = await cli.listening();
  writeFileSync(join(cwd, 'agent.ts'), AGENT_SOURCE.replace("name: 'calculator'", "name: 'renamed'"));
  const [line] = await cli.output(/^\{"event":"listening".*"agent":"renamed".*\}$/m);
  expect(JSON.parse(line)).toMatchObject({ apiKey: first.apiKey });
  writeFileSync(join(cwd, 'agent.ts'), 'export class {');
  await cli.output(/Waiting for a change/);
  writeFileSync(join(cwd, 'agent.ts'), AGENT_SOURCE.replace("name: 'calculator'", "name: 'mended'"));
  await cli.output(/"agent":"mended"/);
  await wait(100);
  expect(await cli.stop('SIGINT')).toMatchObject({ code: 0 });
});
