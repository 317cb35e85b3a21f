import { join } from 'node:path';
import type { McpServer } from '#agent';
import { readMcpServer, type McpServerSpec } from './mcp.server.js';

const FIXTURES = join(__dirname, 'fixtures');
const read = (server: unknown): Promise<McpServerSpec> => readMcpServer(server as McpServer, { cwd: FIXTURES });

describe('an MCP server, as an agent names it', () => {
  it('a command with its arguments is taken word by word', async () => {
    const env = { TOKEN: 'abc-def', UNSET: undefined };
    expect(
      await read({ command: 'my server', args: ['a b', ''], env, cwd: '/x', prefix: 'p_', timeoutMs: 5 }),
    ).toMatchObject({
      label: 'my server a b',
      target: { kind: 'command', command: 'my server', args: ['a b', ''], cwd: '/x' },
      env: { TOKEN: 'abc-def' },
      prefix: 'p_',
      timeoutMs: 5,
    });
  });

  it('a command without arguments is read as the short form: words, or a directory', async () => {
    expect((await read({ command: 'npx -y server', prefix: 'p_' })).target).toMatchObject({ args: ['-y', 'server'] });
    expect((await read({ command: 'served', prefix: 'p_' })).target).toMatchObject({
      args: [join(FIXTURES, 'served/main.mjs')],
    });
  });

  it('an address is shown without what may be a key', async () => {
    const url = 'https://user:pass@host/mcp?key=k';
    const spec = await read({ url, headers: { authorization: 'Bearer sk-1234' } });
    expect(spec).toMatchObject({ label: 'https://host/mcp?…', headers: { authorization: 'Bearer sk-1234' } });
    expect((await read(url)).label).toBe('https://host/mcp?…');
    await expect(read('https://user:pass@[?key=k')).rejects.toThrow('MCP server https://[: is no http(s) address');
  });

  it('AU-05: what it was given in confidence is blotted out of what it says', async () => {
    const { secrets } = await read({ url: 'http://h/?key=IN-QUERY', headers: { authorization: 'Bearer sk-1234' } });
    expect(secrets.hide('Bearer sk-1234, sk-1234, IN-QUERY, fine')).toBe('[secret], [secret], [secret], fine');
    const { secrets: ofEnv } = await read({ command: 'x', args: [], env: { KEY: 'sk-1234-5', DEBUG: '1' } });
    expect(ofEnv.hide('1 key: sk-1234-5')).toBe('1 key: [secret]');
  });

  it.each([
    [null, 'is no server'],
    [5, 'is no server'],
    [{}, 'has neither a command nor a url'],
    [{ command: ' ' }, 'has neither a command nor a url'],
    [{ command: 'x', args: 'a' }, "'args' is no list of texts"],
    [{ url: 'ftp://x' }, 'is no http(s) address'],
    [
      { url: 'http://x', headers: { authorization: undefined } },
      'the header authorization has no value. Set the environment variable',
    ],
    [{ url: 'http://x', headers: { key: 'a\n' } }, 'the header key has control characters'],
    [{ command: 'x', prefix: 'a.' }, 'the prefix "a." is not legal in names of tools'],
    [{ command: 'x', timeoutMs: 0 }, 'timeoutMs is 0. Give a positive number'],
  ])('%j: %s', async (server, message) => {
    await expect(read(server)).rejects.toThrow(message);
  });
});
