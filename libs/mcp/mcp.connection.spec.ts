import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Logger } from '@nestjs/common';
import { agentOptions, LagWatchdog, runToolLoop, ToolExecutor, ToolSet, type ToolDescriptor } from '#agent';
import { Secret, type ToolCall } from '#domain';
import { FakeClock } from '../../test/support/fake.clock.js';
import { until } from '../../test/support/init.js';
import { ListedModel, sessionOf } from '../../test/support/sessions.js';
import { McpConnection, type McpOptions } from './mcp.connection.js';
import { readMcpTarget } from './mcp.target.js';
import { legalNames } from './tool.names.js';

const FIXTURES = join(__dirname, 'fixtures');

beforeAll(() => Logger.overrideLogger(false));

const open = (given: string, options: Partial<McpOptions> = {}): Promise<McpConnection> =>
  McpConnection.open(given, { cwd: FIXTURES, ...options });
const call = (name: string, args: object, id = name): ToolCall => ({
  id,
  type: 'function',
  function: { name, arguments: JSON.stringify(args) },
});

/** Lets a model ask for tools once, in the built-in loop; gives the texts of the tool messages it then sees. */
async function toolTexts(
  { tools, executor }: { readonly tools: readonly ToolDescriptor[]; readonly executor?: ToolExecutor },
  ...calls: readonly ToolCall[]
): Promise<string[]> {
  const model = new ListedModel([{ content: '', tool_calls: [...calls] }, { content: 'done' }]);
  const { ctx } = sessionOf({ model, tools: new ToolSet(tools), executor });
  expect(await runToolLoop(ctx)).toMatchObject({ status: 'COMPLETED', finishReason: 'stop' });
  const seen = model.asked[1]?.messages ?? [];
  return seen.filter(({ role }) => role === 'tool').map(({ content }) => String(content));
}

describe('what --mcp names', () => {
  it.each([
    ['http://127.0.0.1:3000/mcp', { kind: 'url', url: new URL('http://127.0.0.1:3000/mcp') }],
    [
      'served',
      {
        kind: 'command',
        command: process.execPath,
        args: [join(FIXTURES, 'served/main.mjs')],
        cwd: join(FIXTURES, 'served'),
      },
    ],
    [
      'npx -y "@x/server" --root \'/a b\' --q="c d"',
      { kind: 'command', command: 'npx', args: ['-y', '@x/server', '--root', '/a b', '--q=c d'], cwd: FIXTURES },
    ],
  ])('%s', async (given, target) => expect(await readMcpTarget(given, FIXTURES)).toEqual(target));

  it.each([
    ['empty', 'the directory has no main.py, main.ts, main.mjs, main.js'],
    ['./missing', 'there is no such directory or program'],
    ['', 'is no server'],
    ['node "x', 'a quote in the command is not closed'],
    ['http://[', 'is no http(s) address'],
  ])('%j: %s', async (given, message) => {
    await expect(readMcpTarget(given, FIXTURES)).rejects.toThrow(message);
  });

  it('names that no model API takes are replaced, and stay distinct', () => {
    expect([...legalNames(['a_b', 'a.b', 'a/b', 'x'.repeat(80), '日本'])]).toEqual([
      ['a_b', 'a_b'],
      ['a.b', 'a_b_2'],
      ['a/b', 'a_b_3'],
      ['x'.repeat(80), 'x'.repeat(60)],
      ['日本', '__'],
    ]);
  });
});

describe('the tools of an MCP server (spec F.9)', () => {
  let server: McpConnection;
  beforeAll(async () => {
    server = await open('served');
  });
  afterAll(() => server.close());

  it('have their full JSON Schema: items, $ref, bounds, defaults, integers (weakness H 29)', () => {
    const add = server.tools.find(({ name }) => name === 'add');
    expect(add?.definition.function).toMatchObject({
      description: 'Adds whole numbers',
      parameters: {
        type: 'object',
        properties: {
          numbers: { type: 'array', items: { type: 'integer', minimum: 0 }, minItems: 1, description: 'What to add' },
          unit: { anyOf: [{ $ref: '#/$defs/unit' }, { type: 'null' }], description: 'Of all of them', default: 'm' },
        },
        required: ['numbers'],
        additionalProperties: false,
        $defs: { unit: { enum: ['m', 'km', 3] } },
      },
    });
    const names = ['add', 'files_read_all', 'structured', 'fails', 'wait', 'meet', 'process', 'quarrel'];
    expect(server.tools.map(({ name }) => name)).toEqual(names);
    expect(server.tools[1]?.definition.function.description).toBe('Tool: files.read.all');
  });

  it('run for an agent that has nothing else, in the built-in loop', async () => {
    expect(await toolTexts(server, call('add', { numbers: [3, 5] }))).toEqual(['8']);
  });

  it.each([
    ['add', { numbers: [2, 3], unit: 3 }, '5'],
    ['files_read_all', {}, 'a\n[image]\nb'],
    ['structured', {}, '42'],
    ['structured', { whole: true }, '{"result": 1, "more": 2}'],
    ['fails', {}, 'Error: no such file'],
  ])('%s(%j) gives %s', async (name, args, text) => {
    expect(await toolTexts(server, call(name, args))).toEqual([text]);
  });

  it('arguments that do not fit are told to the model, and not sent', async () => {
    const [text] = await toolTexts(server, call('add', { numbers: [-1, 1.5], other: 1 }));
    expect(text).toMatch(/^Error: The arguments of add do not fit its schema\. /);
    expect(text).toContain('numbers[0]');
    expect(text).toContain('other');
  });

  it('run side by side, and answer in the order of the calls', async () => {
    // Each answers when all four are there, the last one first.
    const calls = [1, 2, 3, 4].map((place) => call('meet', { place, of: 4 }, `call_${place}`));
    expect(await toolTexts(server, ...calls)).toEqual([1, 2, 3, 4].map((place) => `met at ${place}`));
  });

  it('are cut off at their time, and the server can be used further', async () => {
    const clock = new FakeClock();
    const options = agentOptions({ clock });
    const limited = await open('served', { toolTimeoutMs: 1_500 });
    try {
      const timed = { tools: limited.tools, executor: new ToolExecutor(options, new LagWatchdog(options)) };
      const texts = toolTexts(timed, call('wait', { ms: 60_000 }), call('add', { numbers: [1] }));
      // Both have begun at once, and one of them has ended.
      await until(() => clock.timerCount === 1);
      clock.advance(1_500);
      expect(await texts).toEqual(['Error: Tool wait did not finish within its time limit of 1500 ms', '1']);
      expect(await toolTexts(timed, call('add', { numbers: [2] }))).toEqual(['2']);
    } finally {
      await limited.close();
    }
  });
});

describe('a server that cannot be used', () => {
  it('says what it said before it ended', async () => {
    await expect(open('broken')).rejects.toThrow(/MCP server broken: gives no tools: [^]*the database is not there/);
  });

  it('that does not exist', async () => {
    await expect(open('no-such-program-here --stdio')).rejects.toThrow(/gives no tools: .*ENOENT/);
  });

  it('that never answers', async () => {
    const silent = `${process.execPath} -e "process.stdin.resume()"`;
    await expect(open(silent, { connectTimeoutMs: 300 })).rejects.toThrow('gives no tools');
  });

  it('whose tools no model can be given', async () => {
    await expect(open(`${process.execPath} bare.mjs`)).rejects.toThrow(
      /offers tools that no model can be given: defineTool\("odd"\): the JSON Schema of the input cannot be compiled/,
    );
  });
});

describe('a server at an address', () => {
  it('is reached with its bearer, which is in no error', async () => {
    const child = spawn(process.execPath, [join(FIXTURES, 'http.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
    try {
      const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const server = await open(url, { bearer: Secret.from('let-me-in') });
      expect(await toolTexts(server, call('add', { numbers: [20, 22] }))).toEqual(['42']);
      await server.close();
      const refused = await open(url, { bearer: Secret.from('wrong-SECRET') }).then(
        () => 'opened',
        (error: Error) => `${error.message} ${JSON.stringify(error)} ${String(error.stack)}`,
      );
      expect(refused).toContain('gives no tools: HTTP 403');
      expect(refused).not.toContain('wrong-SECRET');
    } finally {
      child.kill();
    }
  });
});
