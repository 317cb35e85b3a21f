import type { ChatParams, JsonSchema, ToolDefinition } from '#domain';
import { parameterRoot, type ProviderRequestError, type StructuredOutput } from '#model/plain';

const NAME = 'submit_verdict';

const SCHEMA: JsonSchema = {
  type: 'object',
  properties: {
    score: { type: 'number', description: 'The score by the rubric.' },
    explanation: { type: 'string', description: 'The reason, in one to three sentences.' },
  },
  required: ['score', 'explanation'],
  additionalProperties: false,
};

const TOOL: ToolDefinition = {
  type: 'function',
  function: { name: NAME, description: 'Hands in the verdict. Call it exactly once.', parameters: SCHEMA },
};

/** How a verdict of the right shape is forced in a given way. */
export function outputRequest(output: StructuredOutput): { params: ChatParams; tools: readonly ToolDefinition[] } {
  switch (output) {
    case 'tool':
      return { params: { tool_choice: { type: 'function', function: { name: NAME } } }, tools: [TOOL] };
    case 'json_schema': {
      const format = { type: 'json_schema', json_schema: { name: NAME, strict: true, schema: SCHEMA } };
      return { params: { response_format: format }, tools: [] };
    }
    case 'json_object':
      return { params: { response_format: { type: 'json_object' } }, tools: [] };
    case 'plain':
      return { params: {}, tools: [] };
  }
}

const FORMAT_WORDS = /response[_ ]?format|json[_ ]?schema|json[_ ]?object|json mode|structured output|text\.format/i;
const TOOL_WORDS = /\btools?\b|tool[_ ]?(choice|use|call)|function[_ ]?call/i;

/** Whether a refusal is about the way the output was asked for, so that the next way may work (case RJ-11). */
export function refusesOutput(error: ProviderRequestError, output: StructuredOutput): boolean {
  if (output === 'plain' || !['parameter', 'refused', 'not_found'].includes(error.kind)) return false;
  const parameter = error.parameter === undefined ? '' : parameterRoot(error.parameter);
  if (output === 'tool') return parameter.startsWith('tool') || TOOL_WORDS.test(error.detail);
  return parameter === 'response_format' || FORMAT_WORDS.test(error.detail);
}
