import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { createProject, CLI, endProcesses, ensureBuilt, removeProjects, runCli } from './support/cli.js';

jest.setTimeout(120_000);
beforeAll(ensureBuilt);
afterEach(endProcesses);
afterAll(removeProjects);

/** `command | reader`, in a shell that gives the program's own exit code and stderr. */
function piped(args: string, reader: string): Promise<{ code: number | null; stderr: string }> {
  return new Promise((done) => {
    const script = `'${process.execPath}' '${CLI}' ${args} | ${reader}; exit \${PIPESTATUS[0]}`;
    const env = { PATH: process.env['PATH'], HOME: tmpdir() };
    const shell = spawn('bash', ['-c', script], { cwd: tmpdir(), env, stdio: ['ignore', 'ignore', 'pipe'] });
    let stderr = '';
    shell.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    shell.on('close', (code) => done({ code, stderr }));
  });
}

describe('help and versions', () => {
  it('lists commands, global options and exit codes on stdout', async () => {
    const { code, stdout, stderr } = await runCli(['--help']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^usage: osmosis/);
    for (const part of ['serve', 'validate', 'config', 'completion', '--json', '--quiet', '--no-color', '130']) {
      expect(stdout).toContain(part);
    }
  });

  it('G-D: without a command, help goes to stdout and the exit code is 1', async () => {
    const { code, stdout } = await runCli([]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^usage: osmosis/);
  });

  it.each([
    ['serve', '--help'],
    ['--help', 'serve'],
    ['help', 'serve'],
    ['serve', '-h', '-m', 'x'],
  ])('explains a command with its options, examples and exit codes: %s %s', async (...args) => {
    const { code, stdout } = await runCli(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^usage: osmosis serve --module <path/);
    expect(stdout).toMatch(/--api-key-file <file>[\s\S]*Examples:[\s\S]*osmosis serve -m[\s\S]*Exit codes:/);
  });

  it.each(['-V', '--version'])(
    '%s tells the versions of the package, of Node.js and of the protocols',
    async (flag) => {
      const { code, stdout } = await runCli([flag]);
      expect(code).toBe(0);
      expect(stdout).toMatch(
        /^osmosis \d+\.\d+\.\d+ \(Node\.js \d+\.\d+\.\d+, protocols osmosis-v0\.2, osmosis-v0\.3\)\n$/,
      );
      const json = await runCli([flag, '--json']);
      expect(JSON.parse(json.stdout)).toMatchObject({
        name: 'nestjs-osmosis',
        protocols: ['osmosis-v0.2', 'osmosis-v0.3'],
      });
    },
  );
});

describe('mistakes on the command line', () => {
  it.each([
    [['srve'], "Unknown command 'srve'. Did you mean 'serve'?"],
    [['serve', '--prot', '1'], "Unknown option '--prot' of 'osmosis serve'. Did you mean '--port'?"],
    [['serve'], "'osmosis serve' needs -m, --module <path[:export]>."],
    [['serve', '-m'], '-m needs a value. Write it as --module <path[:export]>.'],
    [['serve', '-m', 'x', '-p', '70000'], "--port cannot be '70000'. Give a whole number from 0 to 65535."],
    [['serve', '-m', 'x', '--log-level', 'loud'], "--log-level cannot be 'loud'. Choose one of: debug, info"],
    [['serve', '-m', 'x', 'y'], "Unexpected argument 'y'."],
    [['completion', 'tcsh'], "<shell> cannot be 'tcsh'. Choose one of: bash, zsh, fish."],
    [['--module', 'x'], "Unknown command 'x'."],
  ])('CL-17: %j ends with 2 and one line on stderr that says the cure', async (args, message) => {
    const { code, stdout, stderr } = await runCli(args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(`Error: ${message}`);
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  it('gives an envelope on stdout and nothing on stderr with --json', async () => {
    const { code, stdout, stderr } = await runCli(['serve', '--json', '--prot', '1']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(JSON.parse(stdout)).toMatchObject({
      schemaVersion: 1,
      ok: false,
      command: 'serve',
      error: { code: 'USAGE', exitCode: 2, message: expect.stringContaining('--port') as string },
    });
  });
});

describe('config', () => {
  it('prints the effective values and where each comes from, secrets masked', async () => {
    const cwd = createProject({ '.env': 'OSMOSIS_PUBLIC_HOST=from-file\nPORT=1\n', 'deep/er/x': '' });
    const env = { PORT: '9001', OSMOSIS_API_KEY: 'SECRET-7f3a' };
    const { code, stdout, stderr } = await runCli(['config'], { cwd: `${cwd}/deep/er`, env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^PORT +9001 {2}\(the environment\)$/m);
    expect(stdout).toMatch(/^OSMOSIS_PUBLIC_HOST +from-file {2}\(.*\/\.env\)$/m);
    expect(stdout).toMatch(/^OSMOSIS_API_KEY +\*{8} {2}\(the environment\)$/m);
    expect(stdout).toMatch(/^OSMOSIS_ROLLOUT_CLIENT_MAX_RETRIES +3 {2}\(default\)$/m);
    expect(stdout + stderr).not.toContain('SECRET-7f3a');
  });

  it('gives the same as JSON, with --set only what is set', async () => {
    const { stdout } = await runCli(['config', '--json', '--set'], { env: { PORT: '9001' } });
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      command: 'config',
      data: { dotenv: null, settings: [{ name: 'PORT', value: 9001, source: 'environment' }] },
    });
  });

  it('ends with 3 for a value that is not allowed, naming variable, value and rule', async () => {
    const env = { OSMOSIS_ROLLOUT_CLIENT_TIMEOUT_SECONDS: '0.5' };
    const { code, stdout, stderr } = await runCli(['config'], { env });
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toBe(
      "Error: OSMOSIS_ROLLOUT_CLIENT_TIMEOUT_SECONDS (the environment) is '0.5', but must be a number from 1 to 3600. " +
        'Change it or leave it out.\n',
    );
  });

  it('warns of an unknown variable with the nearest name; not with --quiet', async () => {
    const env = { OSMOSIS_ROLLOUT_CLIENT_MAX_RETRYS: '3' };
    const loud = await runCli(['config'], { env });
    expect(loud.stderr).toContain('Did you mean OSMOSIS_ROLLOUT_CLIENT_MAX_RETRIES?');
    expect((await runCli(['config', '--quiet'], { env })).stderr).toBe('');
    const json = await runCli(['config', '--json'], { env });
    expect(JSON.parse(json.stderr)).toMatchObject({ warning: { message: expect.any(String) as string } });
  });
});

describe('output', () => {
  it('CL-14: a reader that leaves early is no error', async () => {
    for (let run = 0; run < 10; run++) {
      expect(await piped('--help', 'true')).toEqual({ code: 0, stderr: '' });
      expect(await piped('config', 'head -1')).toEqual({ code: 0, stderr: '' });
    }
  });

  it('CL-16: colours appear on a terminal, and neither elsewhere nor with NO_COLOR; an empty NO_COLOR is not set', async () => {
    const coloured = async (env: Record<string, string>, terminal: boolean, ...flags: string[]): Promise<boolean> =>
      (await runCli(['config', ...flags], { env, terminal })).stdout.includes('\u001b[');
    expect(await coloured({}, true)).toBe(true);
    expect(await coloured({}, false)).toBe(false);
    expect(await coloured({ NO_COLOR: '1' }, true)).toBe(false);
    expect(await coloured({ NO_COLOR: '' }, true)).toBe(true);
    expect(await coloured({}, true, '--no-color')).toBe(false);
    expect(await coloured({ FORCE_COLOR: '1' }, false)).toBe(true);
    expect(await coloured({ TERM: 'dumb' }, true)).toBe(false);
  });

  it.each([{ HOME: '/nonexistent' }, { HOME: '/' }, { HOME: undefined }])('CL-19: works with %j', async (env) => {
    expect(await runCli(['config'], { env })).toMatchObject({ code: 0, stderr: '' });
  });
});

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish'])('writes a script for %s that knows commands, options and values', async (shell) => {
    const { code, stdout, stderr } = await runCli(['completion', shell]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const word of ['validate', 'api-key-file', 'critical']) expect(stdout).toContain(word);
  });

  it.each([
    ['osmosis s', ['serve']],
    ['osmosis serve --ap', ['--api-key', '--api-key-file']],
    ['osmosis serve --log-level e', ['error']],
    ['osmosis completion z', ['zsh']],
    // A command, and a group of others.
    ['osmosis eval re', ['report', 'rescore']],
    [
      'osmosis eval --base',
      ['--base-url', '--baseline-api-key', '--baseline-api-key-env', '--baseline-base-url', '--baseline-model'],
    ],
    ['osmosis eval report --ht', ['--html']],
  ])('completes "%s" in a real bash', async (line, expected) => {
    const { stdout: script } = await runCli(['completion', 'bash']);
    const words = line.split(' ');
    const ask = `COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}; _osmosis; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const answer = await new Promise<string>((done, fail) => {
      const bash = spawn('bash', ['-c', `${script}\n${ask}`]);
      let text = '';
      bash.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
      bash.on('close', () => done(text)).on('error', fail);
    });
    expect(answer.trim().split('\n').sort()).toEqual(expected);
  });
});

it('help, versions and completion load neither Nest nor nest-commander', async () => {
  for (const args of [['--help'], ['serve', '--help'], ['--version'], ['completion', 'bash'], ['config']]) {
    const { code, stderr } = await runCli(args, { env: { NODE_DEBUG: 'esm', NODE_OPTIONS: '' } });
    expect(code).toBe(0);
    expect(stderr).not.toMatch(/node_modules\/(@nestjs|nest-commander|class-validator|openai)\//);
  }
});
