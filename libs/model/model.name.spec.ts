import { ModelConfigError } from './model.error.js';
import { parseModelName } from './model.name.js';

const KNOWN = new Set(['openai', 'openrouter', 'groq', 'cf', 'ollama']);
const isProvider = (name: string): boolean => KNOWN.has(name);

describe('model names', () => {
  it.each([
    ['openrouter/anthropic/claude-x:free', undefined, 'openrouter', 'anthropic/claude-x:free'],
    ['openai/gpt-oss-20b', 'groq', 'groq', 'openai/gpt-oss-20b'],
    ['cf/@cf/openai/gpt-oss-120b', undefined, 'cf', '@cf/openai/gpt-oss-120b'],
    ['gpt-5', undefined, 'openai', 'gpt-5'],
    ['OpenAI/GPT-5-turbo', undefined, 'openai', 'GPT-5-turbo'],
    [' claude-x ', undefined, 'anthropic', 'claude-x'],
    ['grok-4', ' XAI ', 'xai', 'grok-4'],
  ])('RJ-16: %s with provider %s is the model of %s called %s', (text, provider, expectedProvider, expectedModel) => {
    expect(parseModelName(text, { isProvider, provider })).toEqual({
      provider: expectedProvider,
      model: expectedModel,
    });
  });

  it.each(['/x', 'x/', '', '   '])('RJ-16: %j is an error that shows the expected form', (text) => {
    expect(() => parseModelName(text, { isProvider })).toThrow(ModelConfigError);
    expect(() => parseModelName(text, { isProvider })).toThrow(/provider\/model/);
  });

  it('leaves a maker’s name in the model at an address of its own, but not a provider’s', () => {
    const options = { isProvider, hasBaseUrl: true };
    expect(parseModelName('Qwen/Qwen3-0.6B', options)).toEqual({ provider: 'openai', model: 'Qwen/Qwen3-0.6B' });
    expect(parseModelName('ollama/llama3', options)).toEqual({ provider: 'ollama', model: 'llama3' });
    expect(parseModelName('claude-like', options)).toEqual({ provider: 'openai', model: 'claude-like' });
  });
});
