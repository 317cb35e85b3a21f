import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { LazyModuleLoader, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Agent, AgentRegistry, DefinitionError, Reward, Tool, type ExtraInfo, type McpServer } from '#osmosis';
import { createMockTrainerApp, driveRollouts, RolloutCompletionTracker, toolCall, type MockScript } from '#testing';
import { LibrarianModule } from '../docs/examples/mcp/librarian.module.js';
import { expectIdle, expectPaired, toolMessages } from './support/assertions.js';
import { createProject, endProcesses, ensureBuilt, removeProjects, runCli, startCli } from './support/cli.js';
import { PATIENT, until } from './support/init.js';
import { isAlive, MCP_FIXTURES, McpHttpServer } from './support/mcp-server.js';
import { startRig, type Rig, type RigOptions } from './support/rig.js';

jest.setTimeout(120_000);

const COMMAND = { command: process.execPath, args: [`${MCP_FIXTURES}/served/main.mjs`] };

let rig: Rig;
let script: MockScript;
afterEach(() => rig?.close());

/** A server for an agent with these MCP servers, and a tool of its own. */
async function serve(mcp: readonly McpServer[], osmosis: RigOptions['osmosis'] = {}): Promise<void> {
  @Agent({ name: 'helped', mcp })
  class HelpedAgent {
    @Tool({ description: 'Its own' })
    own(): string {
      return 'mine';
    }
  }
  rig = await startRig({
    providers: [HelpedAgent],
    osmosis,
    trainer: { script: (request, turn) => (typeof script === 'function' ? script(request, turn) : script[turn]!) },
  });
}

/** One turn of tool calls, then a final text. */
async function answersTo(...calls: ReturnType<typeof toolCall>[]): Promise<string[]> {
  script = [calls, 'done'];
  const result = await rig.run();
  expect(result).toMatchObject({ status: 'COMPLETED', finish_reason: 'stop' });
  expectPaired(result.final_messages);
  return toolMessages(result).map(({ content }) => content);
}

/** The same, of a server that is not the rig's. */
async function drive(serverUrl: string, calls: ReturnType<typeof toolCall>[]): Promise<string[]> {
  const tracker = new RolloutCompletionTracker(PATIENT);
  const trainer = await createMockTrainerApp({ tracker, script: [calls, 'done'], logger: false });
  await trainer.listen(0, '127.0.0.1');
  const [result] = await driveRollouts({
    serverUrl,
    trainerUrl: await trainer.getUrl(),
    tracker,
    tasks: [{ messages: [{ role: 'user', content: 'go' }] }],
    ...PATIENT,
  });
  await trainer.close();
  return toolMessages(result!.completion!).map(({ content }) => content);
}

describe('an agent with the tools of an MCP server', () => {
  it('announces them with their whole schema, beside its own, and runs them side by side', async () => {
    await serve([COMMAND]);
    const answers = await answersTo(
      toolCall('wait', { ms: 300 }, 'c1'),
      toolCall('add', { numbers: [3, 5] }, 'c2'),
      toolCall('own', {}, 'c3'),
      toolCall('add', { numbers: [-1] }, 'c4'),
      toolCall('fails', {}, 'c5'),
    );
    expect(answers).toEqual([
      'waited 300',
      '8',
      'mine',
      'Error: The arguments of add do not fit its schema. numbers[0]: must be at least 0',
      'Error: no such file',
    ]);
    const body = { rollout_id: 'r', server_url: rig.trainerUrl, messages: [], completion_params: {} };
    const init = await fetch(`${rig.serverUrl}/v1/rollout/init`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const { tools } = (await init.json()) as { tools: { function: { name: string } }[] };
    expect(tools.map((tool) => tool.function.name)).toEqual([
      'own',
      'add',
      'files_read_all',
      'structured',
      'fails',
      'wait',
      'meet',
      'process',
      'quarrel',
    ]);
    expect(tools[1]).toMatchObject({
      function: {
        parameters: {
          properties: { numbers: { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 1 } },
          required: ['numbers'],
          additionalProperties: false,
          $defs: { unit: { enum: ['m', 'km', 3] } },
        },
      },
    });
    expect(rig.log.text).toContain('  tool add(numbers: array, unit?: any)');
  });

  it('shares one process among all rollouts', async () => {
    await serve([COMMAND]);
    script = [[toolCall('process')], 'done'];
    const results = await Promise.all(Array.from({ length: 20 }, (_, at) => rig.run({ rolloutId: `r${at}` })));
    expect(new Set(results.flatMap(toolMessages).map(({ content }) => content)).size).toBe(1);
  });

  it('a tool that hangs is ended at its limit, and the others go on', async () => {
    await serve([{ ...COMMAND, timeoutMs: 1_500 }]);
    let answers: string[] = [];
    // The limit is that of the others too, and a busy machine may keep one of them waiting for so long.
    await until(async () => {
      answers = await answersTo(toolCall('wait', { ms: 600_000 }, 'c1'), toolCall('add', { numbers: [1] }, 'c2'));
      return answers[1] === '1';
    }, 'add is answered beside it');
    expect(answers[0]).toBe('Error: Tool wait did not finish within its time limit of 1500 ms');
    await until(
      async () => (await answersTo(toolCall('add', { numbers: [2] })))[0] === '2',
      'add is answered after it',
    );
  });

  it('a cancelled rollout ends its calls', async () => {
    await serve([COMMAND]);
    script = [[toolCall('wait', { ms: 600_000 })], 'done'];
    const running = rig.run({ rolloutId: 'cancelled' });
    await until(() => rig.log.text.includes('a wait has begun'));
    const cancelled = await fetch(`${rig.serverUrl}/v1/rollout/cancelled/cancel`, { method: 'POST' });
    expect(cancelled.ok).toBe(true);
    expect((await running).status).toBe('ERROR');
    await until(() => rig.log.text.includes('a wait was cancelled'));
    await expectIdle(rig);
  });

  it('a server that is killed in the middle: an error for the model, then a new one', async () => {
    await serve([COMMAND]);
    const [pid] = await answersTo(toolCall('process'));
    script = [[toolCall('wait', { ms: 600_000 })], 'done'];
    const running = rig.run();
    await until(() => rig.log.text.includes('a wait has begun'));
    process.kill(Number(pid), 'SIGKILL');
    expect(toolMessages(await running)[0]?.content).toBe(
      'Error: The MCP server of this tool failed: Connection closed',
    );
    await until(async () => (await answersTo(toolCall('add', { numbers: [1, 1] })))[0] === '2');
    expect(await answersTo(toolCall('process'))).not.toEqual([pid]);
    expect(rig.log.text).toMatch(/warn MCP server \S+node .*main\.mjs: it has ended[^]*It is opened again\./);
    expect(rig.log.text).toMatch(/log MCP server .* is back\./);
  });

  it('its process ends with the application', async () => {
    await serve([COMMAND]);
    const pid = Number((await answersTo(toolCall('process')))[0]);
    expect(isAlive(pid)).toBe(true);
    await rig.close();
    expect(isAlive(pid)).toBe(false);
  });
});

describe('an agent with the tools of an MCP server at an address', () => {
  let server: McpHttpServer;
  afterEach(() => server.child.kill('SIGKILL'));

  it('sends the headers, of a server that the application names as well', async () => {
    server = await McpHttpServer.start('http.mjs');
    await serve(['kept'], {
      mcp: { servers: { kept: { url: server.url, headers: { authorization: 'Bearer let-me-in' } } } },
    });
    expect(await answersTo(toolCall('add', { numbers: [20, 22] }), toolCall('wait', { ms: 100 }))).toEqual([
      '42',
      'waited 100',
    ]);
    expect(rig.log.text).not.toContain('let-me-in');
  });

  it('a server that is killed in the middle: an error for the model at once, and no repetition', async () => {
    server = await McpHttpServer.start('http.mjs');
    await serve([{ url: server.url, headers: { authorization: 'Bearer let-me-in' } }]);
    script = [[toolCall('wait', { ms: 600_000 })], 'done'];
    const running = rig.run();
    await until(() => rig.chatRequests().length === 1);
    await wait(300);
    await server.kill();
    expect(toolMessages(await running)[0]?.content).toMatch(/^Error: The MCP server of this tool failed: /);
    expect((await answersTo(toolCall('add', { numbers: [1] })))[0]).toMatch(/ECONNREFUSED/);
    server = await McpHttpServer.start('http.mjs', { PORT: server.port });
    expect(await answersTo(toolCall('add', { numbers: [1] }))).toEqual(['1']);
  });

  it.each(['404', '400'])(
    'a server that has forgotten the session (%s) gets a new one, and the call',
    async (status) => {
      server = await McpHttpServer.start('sessions.mjs', { FORGOTTEN: status });
      await serve([server.url]);
      expect(await answersTo(toolCall('add', { numbers: [1] }))).toEqual(['1']);
      await server.kill();
      server = await McpHttpServer.start('sessions.mjs', { FORGOTTEN: status, PORT: server.port });
      const calls = Array.from({ length: 5 }, (_, at) => toolCall('add', { numbers: [at] }, `c${at}`));
      expect(await answersTo(...calls)).toEqual(['0', '1', '2', '3', '4']);
      await rig.close();
      // Servers keep what belongs to a session until they are told that it is over.
      await until(() => server.lines.includes('closed'));
    },
  );
});

describe("the documentation's example", () => {
  const KEYS = ['SEARCH_URL', 'SEARCH_KEY'];
  afterEach(() => KEYS.forEach((key) => delete process.env[key]));

  it('has its own tool, those of a directory, and those of a server from the configuration', async () => {
    const search = await McpHttpServer.start('http.mjs');
    process.env['SEARCH_URL'] = search.url;
    process.env['SEARCH_KEY'] = 'let-me-in';
    const app = await NestFactory.create<NestFastifyApplication>(LibrarianModule, new FastifyAdapter(), {
      logger: false,
    });
    await app.listen(0, '127.0.0.1');
    const calls = [
      toolCall('today', {}, 'c1'),
      toolCall('read_note', { topic: 'Oslo' }, 'c2'),
      toolCall('search_add', { numbers: [1] }, 'c3'),
    ];
    expect(await drive(await app.getUrl(), calls)).toEqual([
      expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
      'The capital of Norway. 60 degrees north.',
      '1',
    ]);
    await app.close();
    await search.kill();
  });
});

describe('what is wrong with MCP servers, told at the start', () => {
  const problems = async (mcp: readonly McpServer[]): Promise<string[]> => {
    const error = await serve(mcp).then(
      () => rig.close(),
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(DefinitionError);
    return (error as DefinitionError).message.split('\n').slice(1);
  };

  it('a server that cannot be started or reached: the agent, the server, why, what to do', async () => {
    expect(await problems(['no-such-program --stdio', 'http://127.0.0.1:9/mcp'])).toEqual([
      expect.stringMatching(
        /HelpedAgent \(.*\): the MCP server no-such-program --stdio of the agent 'helped' gives no tools: .*ENOENT\. Start it by hand/,
      ),
      expect.stringMatching(
        /the MCP server http:\/\/127\.0\.0\.1:9\/mcp of the agent 'helped' gives no tools: .*\. Check that it runs/,
      ),
    ]);
  });

  it('a key is in no message, even when the server repeats it', async () => {
    const told = await problems([
      {
        command: process.execPath,
        args: ['-e', 'console.error(`bad key ${process.env.KEY}`)'],
        env: { KEY: 'sk-SECRET-1' },
      },
    ]);
    expect(told.join('\n')).toContain('bad key [secret]');
    const server = await McpHttpServer.start('http.mjs');
    const url = server.url.replace('//', '//user:PASSWORD@') + '?key=IN-QUERY';
    const refused = await problems([{ url, headers: { authorization: 'Bearer sk-SECRET-2' } }]);
    server.child.kill();
    expect(refused.join('\n')).toContain(`${server.url}?…`);
    expect(told.concat(refused).join('\n')).not.toMatch(/SECRET|PASSWORD|IN-QUERY/);
  });

  it('two tools of one name: both places, and the prefix that mends it', async () => {
    @Agent({ name: 'clashing', mcp: [COMMAND] })
    class ClashingAgent {
      @Tool({ description: 'Its own' })
      add(): string {
        return '';
      }
    }
    const error = await startRig({ providers: [ClashingAgent] }).catch((thrown: unknown) => thrown as Error);
    expect((error as Error).message).toMatch(
      /two tools are called 'add': ClashingAgent\.add and add of the MCP server .*main\.mjs\. .*prefix: 'files_'/,
    );
    await serve([COMMAND, { ...COMMAND, prefix: 'second_' }]);
    expect(await answersTo(toolCall('second_add', { numbers: [1, 2] }), toolCall('add', { numbers: [1] }))).toEqual([
      '3',
      '1',
    ]);
  });

  it('a start that is refused leaves no process behind', async () => {
    const file = join(createProject(), 'pid');
    @Agent({ name: 'refused', mcp: [{ ...COMMAND, env: { PID_FILE: file } }] })
    class RefusedAgent {
      @Reward({ weight: Number.NaN })
      wrong(_solutionStr: string, _groundTruth: string, _extraInfo?: ExtraInfo): number {
        return 1;
      }
    }
    await expect(startRig({ providers: [RefusedAgent] })).rejects.toThrow(/RefusedAgent\.wrong/);
    await until(() => !isAlive(Number(readFileSync(file, 'utf8'))));
  });

  it('an agent of a module that is loaded later is left out', async () => {
    @Agent({ name: 'late', mcp: [COMMAND] })
    class LateAgent {}
    @Module({ providers: [LateAgent] })
    class LateModule {}
    rig = await startRig({});
    await rig.app.get(LazyModuleLoader).load(() => LateModule);
    expect(() => rig.app.get(AgentRegistry, { strict: false }).get('late')).toThrow("Agent 'late' not found");
    expect(rig.log.text).toContain(
      "Left out: LateAgent (LateModule): the agent 'late' takes tools that are only fetched",
    );
  });
});

describe('osmosis, with an agent that has an MCP server', () => {
  const AGENT = `
    import { Agent } from 'nestjs-osmosis';
    @Agent({ name: 'helped', mcp: [process.env.MCP_SERVER ?? '${MCP_FIXTURES}/served'] })
    export class HelpedAgent {}
  `;
  beforeAll(() => ensureBuilt(), 120_000);
  afterAll(async () => {
    await endProcesses();
    removeProjects();
  });

  it('validate shows its tools, or says which server failed', async () => {
    const cwd = createProject({ 'agent.ts': AGENT });
    const good = await runCli(['validate', '-m', 'agent.ts', '-v'], { cwd });
    expect(good.stdout).toContain('- Tools: 8 (add, files_read_all, structured, fails, wait, meet, process, quarrel)');
    const bad = await runCli(['validate', '-m', 'agent.ts'], { cwd, env: { MCP_SERVER: './missing' } });
    expect(bad.code).toBe(4);
    expect(bad.stderr).toMatch(
      /\[MCP_SERVER_UNUSABLE\] the MCP server \.\/missing of the agent 'helped' .*no such directory/,
    );
  });

  it.each(['SIGTERM', 'SIGKILL'] as const)('serve leaves no process behind after %s', async (signal) => {
    const cli = startCli(['serve', '-m', 'agent.ts', '-p', '0', '--local'], {
      cwd: createProject({ 'agent.ts': AGENT }),
    });
    const { url } = await cli.listening();
    const pid = Number((await drive(url, [toolCall('process')]))[0]);
    expect(isAlive(pid)).toBe(true);
    await cli.stop(signal);
    await until(() => !isAlive(pid));
  });
});
