import {
  DEFAULT_TIMEOUT_SECONDS,
  PROVIDER_TABLE,
  STRUCTURED_OUTPUT_LADDER,
  type ProviderDefinition,
} from '#model/plain';
import { code, markdownTable } from './markdown.js';

export function providersPage(): string {
  const usable = PROVIDER_TABLE.filter((row) => row.instead === undefined);
  const others = PROVIDER_TABLE.filter((row) => row.instead !== undefined);
  return (
    [
      '# Providers',
      '<!-- Made by `npm run docs:cli` from libs/model/provider.table.ts. Do not edit. -->',
      'Judges, and the models that agents are evaluated with, are named `provider/model`: `openai/gpt-5-mini`, ' +
        '`openrouter/anthropic/claude-haiku-4.5`. The name is split at its first slash. Without a slash it belongs to ' +
        '`openai`, or to `anthropic`, `gemini` or `xai` when it begins with `claude`, `gemini` or `grok`; a `provider` ' +
        "given beside it wins, and the name is then the model's alone. All providers are asked in OpenAI's " +
        'dialect, since nearly all speak it: services through the `openai` client, local servers and a `base_url` of your ' +
        'own directly.',
      markdownTable(
        ['provider', 'address', 'key', 'asks for a verdict by', 'time limit', 'at once'],
        usable.map((row) => [names(row), address(row), key(row), outputs(row), timeLimit(row), atOnce(row)]),
      ).trim(),
      `The time limit is that of one request, in seconds; ${code('timeout')} in the model info sets another. Requests at once ` +
        'are as many as asked for, where the table says nothing.',
      '## Keys',
      'A key is taken from `api_key` in the model info (better not: it then stands in a file), else from the environment ' +
        'variable that `api_key_env` names, else from the first variable of the table that is set. Of a missing key you ' +
        'are told before anything is sent, with the name of the variable. The variables of the table are read for the ' +
        "provider's own address only: a configuration file with another `base_url` cannot collect keys. Keys stand in no " +
        'log, error, preview or report.',
      '## Any other server',
      'A `base_url` in the model info reaches every OpenAI-compatible server, without a key when none is named. Its ' +
        'version segment may be left out, and `/v1` is then added. With it, a first segment that is no provider belongs to ' +
        "the model's name: `Qwen/Qwen3-0.6B`. `models.providers` of `OsmosisModule.forRoot` adds rows to the table.",
      '## What differs between models',
      'The most binding way to ask for a verdict that the table names is tried first. A model that refuses one is asked in the next way, and the process remembers it. The same holds for a parameter ' +
        'that a 400 names, `temperature` or `reasoning_effort` say, and for the two names of the token limit; models of ' +
        'the families gpt-5, o1, o3 and o4 are sent no sampling parameters from the start. What you set yourself is always ' +
        'sent, and its refusal is an error.',
      'Rate limits, 5xx, timeouts and broken connections are tried again, up to three times, after the time that ' +
        '`Retry-After` asks for; other refusals are not.',
      '## Not directly',
      others.map((row) => `- ${names(row)}: ${row.instead}.`).join('\n'),
    ].join('\n\n') + '\n'
  );
}

function names({ name, aliases = [] }: ProviderDefinition): string {
  return [name, ...aliases].map(code).join(', ');
}

function address({ baseUrl, baseUrlEnv = [] }: ProviderDefinition): string {
  return baseUrl === null ? `${['base_url', ...baseUrlEnv].map(code).join(', ')}` : code(baseUrl);
}

function key({ keyEnv, keyless }: ProviderDefinition): string {
  const variables = keyEnv.map(code).join(', ');
  return keyless ? `none; ${variables} if set` : variables;
}

const OUTPUT_NAMES = {
  tool: 'tool call',
  json_schema: 'JSON schema',
  json_object: 'JSON mode',
  plain: 'words',
} as const;

function outputs({ structuredOutput = STRUCTURED_OUTPUT_LADDER, responses }: ProviderDefinition): string {
  const ladder = structuredOutput.map((output) => OUTPUT_NAMES[output]).join(', ');
  return responses ? `${ladder}; gpt-5 through the Responses API` : ladder;
}

function atOnce({ concurrency }: ProviderDefinition): string {
  return concurrency === undefined ? '' : String(concurrency);
}

/** Models that have a limit of their own in the table. */
const EXCEPTIONS = ['gpt-5', 'grok-4'];

function timeLimit({ timeoutSeconds }: ProviderDefinition): string {
  if (!timeoutSeconds) return String(DEFAULT_TIMEOUT_SECONDS);
  const usual = timeoutSeconds('');
  const others = EXCEPTIONS.filter((model) => timeoutSeconds(model) !== usual);
  return [usual, ...others.map((model) => `${model}: ${timeoutSeconds(model)}`)].join('; ');
}
