import { DEFAULT_TIMEOUT_SECONDS, type ProviderDefinition } from './provider.definition.js';

const seconds =
  (fallback: number, ...exceptions: readonly (readonly [prefix: string, seconds: number])[]) =>
  (model: string): number =>
    exceptions.find(([prefix]) => model.toLowerCase().startsWith(prefix))?.[1] ?? fallback;

/**
 * The providers known from the start. Key variables and time limits follow the reference (sections B.3, B.5 and F.4);
 * all speak OpenAI's chat dialect, so a row holds only where they differ.
 */
export const PROVIDER_TABLE: readonly ProviderDefinition[] = [
  {
    name: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    keyEnv: ['OPENAI_API_KEY'],
    responses: (model) => model.toLowerCase().startsWith('gpt-5'),
    timeoutSeconds: seconds(DEFAULT_TIMEOUT_SECONDS, ['gpt-5', 45]),
  },
  {
    // Its compatible endpoint reads `response_format` but does not obey it: a forced tool call is what binds.
    name: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyEnv: ['ANTHROPIC_API_KEY'],
    structuredOutput: ['tool', 'plain'],
    defaults: { max_tokens: 4096 },
  },
  {
    name: 'gemini',
    aliases: ['google'],
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keyEnv: ['GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    timeoutSeconds: seconds(45),
  },
  {
    name: 'xai',
    baseUrl: 'https://api.x.ai/v1',
    keyEnv: ['XAI_API_KEY'],
    timeoutSeconds: seconds(45, ['grok-4', 60]),
  },
  {
    name: 'openrouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyEnv: ['OPENROUTER_API_KEY'],
    timeoutSeconds: seconds(60),
  },
  {
    name: 'cerebras',
    baseUrl: 'https://api.cerebras.ai/v1',
    keyEnv: ['CEREBRAS_API_KEY'],
    tokenLimit: 'max_completion_tokens',
    timeoutSeconds: seconds(60),
  },
  {
    name: 'azure',
    baseUrl: null,
    baseUrlEnv: ['AZURE_API_BASE', 'AZURE_OPENAI_ENDPOINT'],
    basePath: '/openai/v1',
    ownHosts: /\.azure\.(com|us|cn)$/,
    keyEnv: ['AZURE_API_KEY', 'AZURE_OPENAI_API_KEY'],
    keyHeader: 'api-key',
  },
  {
    name: 'groq',
    baseUrl: 'https://api.groq.com/openai/v1',
    keyEnv: ['GROQ_API_KEY'],
    tokenLimit: 'max_completion_tokens',
  },
  { name: 'mistral', baseUrl: 'https://api.mistral.ai/v1', keyEnv: ['MISTRAL_API_KEY'] },
  {
    name: 'deepseek',
    baseUrl: 'https://api.deepseek.com/v1',
    keyEnv: ['DEEPSEEK_API_KEY'],
    structuredOutput: ['json_object', 'plain'],
  },
  {
    name: 'together',
    aliases: ['together_ai'],
    baseUrl: 'https://api.together.xyz/v1',
    keyEnv: ['TOGETHER_API_KEY', 'TOGETHERAI_API_KEY'],
  },
  {
    name: 'fireworks',
    aliases: ['fireworks_ai'],
    baseUrl: 'https://api.fireworks.ai/inference/v1',
    keyEnv: ['FIREWORKS_API_KEY', 'FIREWORKS_AI_API_KEY'],
  },
  {
    name: 'perplexity',
    baseUrl: 'https://api.perplexity.ai',
    keyEnv: ['PERPLEXITY_API_KEY', 'PERPLEXITYAI_API_KEY'],
    structuredOutput: ['json_schema', 'plain'],
  },
  { name: 'deepinfra', baseUrl: 'https://api.deepinfra.com/v1/openai', keyEnv: ['DEEPINFRA_API_KEY'] },
  { name: 'sambanova', baseUrl: 'https://api.sambanova.ai/v1', keyEnv: ['SAMBANOVA_API_KEY'] },
  {
    name: 'nvidia',
    aliases: ['nvidia_nim'],
    baseUrl: 'https://integrate.api.nvidia.com/v1',
    keyEnv: ['NVIDIA_API_KEY', 'NVIDIA_NIM_API_KEY'],
  },
  {
    name: 'ollama',
    baseUrl: 'http://127.0.0.1:11434/v1',
    keyEnv: ['OLLAMA_API_KEY'],
    keyless: true,
    timeoutSeconds: seconds(120),
    concurrency: 1,
  },
  {
    name: 'vllm',
    aliases: ['hosted_vllm', 'sglang'],
    baseUrl: 'http://127.0.0.1:8000/v1',
    keyEnv: ['VLLM_API_KEY'],
    keyless: true,
    timeoutSeconds: seconds(120),
  },
  {
    name: 'lmstudio',
    aliases: ['lm_studio'],
    baseUrl: 'http://127.0.0.1:1234/v1',
    keyEnv: ['LMSTUDIO_API_KEY', 'LM_STUDIO_API_KEY'],
    keyless: true,
    structuredOutput: ['json_schema', 'plain'],
    timeoutSeconds: seconds(120),
    concurrency: 1,
  },
  {
    name: 'bedrock',
    baseUrl: null,
    keyEnv: [],
    instead:
      "Amazon Bedrock signs its requests with AWS credentials, which are no API key. Use Bedrock's OpenAI-compatible " +
      'endpoint with a Bedrock API key (base_url https://bedrock-runtime.REGION.amazonaws.com/openai/v1 and ' +
      'api_key_env), or openrouter for the same models',
  },
  {
    name: 'vertex_ai',
    aliases: ['vertex'],
    baseUrl: null,
    keyEnv: [],
    instead:
      'Vertex AI wants short-lived tokens made from a service account file, which is no API key. Use the provider ' +
      "gemini with GEMINI_API_KEY, or Vertex's OpenAI-compatible endpoint with a fresh token (base_url and api_key_env)",
  },
];
