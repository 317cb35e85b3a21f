import { inspect } from 'node:util';
import { MissingApiKeyError, ModelConfigError, UnknownProviderError } from './model.error.js';
import { resolveModel, type ModelSpec } from './model.resolver.js';
import { ProviderRegistry } from './provider.registry.js';

const providers = new ProviderRegistry();
const resolve = (spec: ModelSpec, env: Record<string, string> = {}): ReturnType<typeof resolveModel> =>
  resolveModel(spec, providers, env);

describe('resolving a model', () => {
  const env = { OPENAI_API_KEY: 'from-default', OTHER: ' from-other\n', EMPTY: ' ' };

  it('B.3: takes the key given, else the variable named, else the default one', () => {
    expect(resolve({ model: 'openai/gpt-4o', apiKey: ' given ', apiKeyEnv: 'OTHER' }, env).key?.reveal()).toBe('given');
    expect(resolve({ model: 'openai/gpt-4o', apiKey: ' ', apiKeyEnv: 'OTHER' }, env).key?.reveal()).toBe('from-other');
    expect(resolve({ model: 'openai/gpt-4o' }, env).key?.reveal()).toBe('from-default');
  });

  it('B.3: a blank variable is unset; the error names it and how to set it', () => {
    const missing = (): unknown => resolve({ model: 'openai/gpt-4o', apiKeyEnv: 'EMPTY' }, env);
    expect(missing).toThrow(MissingApiKeyError);
    expect(missing).toThrow(/'openai'.*EMPTY.*export EMPTY=/);
    expect(() => resolve({ model: 'xai/grok-4' }, env)).toThrow(/XAI_API_KEY/);
  });

  it('NT-15: trims a key, and refuses one with a line break inside without showing it', () => {
    expect(resolve({ model: 'gpt-4o' }, { OPENAI_API_KEY: 'SECRET-7f3a\n' }).key?.reveal()).toBe('SECRET-7f3a');
    const broken = (): unknown => resolve({ model: 'gpt-4o' }, { OPENAI_API_KEY: 'SECRET\n-7f3a' });
    expect(broken).toThrow(/OPENAI_API_KEY.*control character/);
    expect(broken).not.toThrow(/SECRET/);
  });

  it('AU-05: a resolved model can be printed', () => {
    expect(inspect(resolve({ model: 'gpt-4o', apiKey: 'SECRET-9c1b' }), { depth: 9 })).not.toContain('SECRET-9c1b');
  });

  it('sends no default key to another address: a configuration file must not be able to collect keys', () => {
    const local = resolve({ model: 'openai/gpt-4o', baseUrl: 'http://127.0.0.1:9' }, env);
    expect(local.key).toBeNull();
    expect(local.api).toBe('chat');
    expect(resolve({ model: 'openai/x', baseUrl: 'http://127.0.0.1:9', apiKeyEnv: 'OTHER' }, env).key).not.toBeNull();
    expect(resolve({ model: 'openai/x', baseUrl: 'https://api.openai.com/v1/' }, env).key).not.toBeNull();
  });

  it('needs no key for local servers, and takes any provider name with a base URL', () => {
    expect(resolve({ model: 'ollama/llama3' }).baseUrl).toBe('http://127.0.0.1:11434/v1');
    expect(resolve({ provider: 'mine', model: 'a/b', baseUrl: 'http://h:1' })).toMatchObject({
      provider: 'mine',
      model: 'a/b',
      baseUrl: 'http://h:1/v1',
      key: null,
    });
  });

  it('azure: takes its address from the environment, its default key to azure hosts only', () => {
    const azure = { AZURE_API_BASE: 'https://me.openai.azure.com/', AZURE_API_KEY: 'k' };
    expect(resolve({ model: 'azure/gpt-4o' }, azure)).toMatchObject({
      baseUrl: 'https://me.openai.azure.com/openai/v1',
    });
    expect(() => resolve({ model: 'azure/gpt-4o' })).toThrow(/base_url.*AZURE_API_BASE/);
    const key = (baseUrl: string): unknown => resolve({ model: 'azure/gpt-4o', baseUrl }, azure).key;
    expect(key('https://you.openai.azure.com')).not.toBeNull();
    expect(key('https://azure.com.evil.example')).toBeNull();
  });

  it.each([
    ['xai', 'grok-4-fast', 60],
    ['xai', 'grok-3', 45],
    ['openai', 'gpt-5-mini', 45],
    ['openai', 'gpt-4o', 30],
    ['gemini', 'gemini-x', 45],
    ['google', 'gemini-x', 45],
    ['cerebras', 'x', 60],
    ['openrouter', 'a/b', 60],
    ['anthropic', 'claude-x', 30],
  ])('B.5: %s %s has %d s by default', (provider, model, seconds) => {
    expect(resolve({ provider, model, apiKey: 'k' }).timeoutMs).toBe(seconds * 1000);
  });

  it('H 7: a timeout of 0 is an error, not the default', () => {
    expect(() => resolve({ model: 'gpt-4o', apiKey: 'k', timeoutMs: 0 })).toThrow(/timeout.*above 0/);
  });

  it.each([
    ['openai', 'gpt-5-mini', 'responses'],
    ['OpenAI', 'GPT-5-turbo', 'responses'],
    ['openai', 'gpt-4o', 'chat'],
    ['openai', 'o1-preview', 'chat'],
    ['openrouter', 'openai/gpt-5', 'chat'],
  ])('B.5: %s %s goes to the %s interface', (provider, model, api) => {
    expect(resolve({ provider, model, apiKey: 'k' }).api).toBe(api);
  });

  it('bedrock and vertex say what to use instead; unknown providers are told which are known', () => {
    expect(() => resolve({ model: 'bedrock/x' })).toThrow(/Bedrock API key.*base_url/);
    expect(() => resolve({ model: 'vertex_ai/x' })).toThrow(/gemini/);
    expect(() => resolve({ model: 'nobody/x' })).toThrow(UnknownProviderError);
    expect(() => resolve({ model: 'nobody/x' })).toThrow(/cerebras.*openai.*base_url/);
  });
});

describe('the provider registry', () => {
  it('refuses a name or alias that is taken', () => {
    const registry = new ProviderRegistry();
    registry.register({ name: 'mine', baseUrl: 'http://h/v1', keyEnv: [], keyless: true });
    expect(registry.names()).toContain('mine');
    const again = (): void => registry.register({ name: 'other', aliases: ['google'], baseUrl: null, keyEnv: [] });
    expect(again).toThrow(ModelConfigError);
    expect(registry.has('other')).toBe(false);
    expect(() => registry.register({ name: 'a/b', baseUrl: null, keyEnv: [] })).toThrow(/lower-case/);
  });

  it('has a row for each provider once, aliases included', () => {
    const names = new ProviderRegistry().rows().map((row) => row.name);
    expect(new Set(names).size).toBe(names.length);
    expect(names).toEqual(expect.arrayContaining(['openai', 'anthropic', 'gemini', 'lmstudio', 'bedrock']));
  });
});
