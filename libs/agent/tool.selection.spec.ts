import { InvocationScope, type ProviderDescriptor } from '#discovery';
import { requestOf } from '../../test/support/sessions.js';
import { defineTool } from './define-tool.js';
import { ToolSelection } from './tool.selection.js';
import { ToolSet } from './tool.types.js';
import type { AgentDescriptor } from './agent.types.js';

const look = defineTool({ name: 'look', description: 'Look', execute: () => 'seen' });
const listen = defineTool({ name: 'listen', description: 'Listen', execute: () => 'heard' });
const bare = { type: 'function' as const, function: { name: 'bare', description: 'Bare', parameters: {} } };

class Chooser {}

function select(getTools: AgentDescriptor['getTools']): Promise<ToolSet> {
  const provider = { type: Chooser } as unknown as ProviderDescriptor;
  const agent = {
    name: 'a',
    description: '',
    isDefault: false,
    provider,
    tools: new ToolSet([look, listen]),
    loop: null,
  };
  const request = requestOf();
  return new ToolSelection().select({ ...agent, getTools }, request, new InvocationScope(request));
}

describe("an agent's choice of tools for a rollout", () => {
  it('without getTools it has all', async () => {
    expect((await select(null)).names).toEqual(['look', 'listen']);
  });

  it('takes names, made tools and bare definitions; only the first two can be run', async () => {
    const made = defineTool({ name: 'made', description: 'Made', execute: () => 1 });
    const tools = await select(async () => ['listen', made, bare]);
    expect(tools.definitions.map((definition) => definition.function.name)).toEqual(['listen', 'made', 'bare']);
    expect(tools.names).toEqual(['listen', 'made']);
    expect(JSON.parse(tools.json)).toHaveLength(3);
  });

  it.each([
    ['null', null, /must give a list, not null/],
    ['no list', {}, /must give a list, not object/],
    ['an unknown name', ['smell'], /names 'smell', but the agent's tools are: look, listen/],
    ['something odd', [7], /each entry must be/],
    ['one name twice', ['look', 'look'], /two tools called 'look'/],
    ['a definition without a name', [{ type: 'function', function: { description: 'x' } }], /each entry must be/],
    [
      'a definition that has no JSON form',
      [{ ...bare, function: { ...bare.function, parameters: { n: 1n } } }],
      /have no JSON form/,
    ],
  ])('%s is refused by name', async (_name, given, message) => {
    await expect(select(async () => given)).rejects.toThrow(message);
  });

  it('what getTools throws is thrown', async () => {
    await expect(select(() => Promise.reject(new Error('offline')))).rejects.toThrow('offline');
  });
});
