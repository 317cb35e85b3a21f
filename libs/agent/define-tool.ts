import { DefinitionError } from '#domain';
import type { RolloutContext } from './rollout.context.js';
import { InputDefinitionError, NO_INPUT, toolInputOf } from './schema/index.js';
import { LEGAL_TOOL_NAME, toolDefinition } from './tool.factory.js';
import type { ToolDescriptor } from './tool.types.js';

export interface ToolFunction<Input> {
  readonly name: string;
  readonly description: string;
  /** A class, a JSON Schema or a Standard Schema object; absent for tools without arguments. */
  readonly input?: unknown;
  readonly timeoutMs?: number;
  execute(input: Input, ctx: RolloutContext): unknown;
}

/**
 * A tool made of a function, for what is known only at run time. Give it from an agent's `getTools`.
 *
 * @throws DefinitionError when name or input is no good
 */
export function defineTool<Input = Record<string, unknown>>(definition: ToolFunction<Input>): ToolDescriptor {
  const { name, description } = definition;
  const where = `defineTool(${JSON.stringify(name)})`;
  if (!LEGAL_TOOL_NAME.test(name)) {
    const cure = "Use 1 to 64 letters, digits, '_' or '-'";
    throw new DefinitionError([{ code: 'TOOL_NAME_ILLEGAL', where, what: 'the name is not legal', cure }]);
  }
  try {
    const input = definition.input === undefined ? NO_INPUT : toolInputOf(definition.input);
    return {
      name,
      where,
      input,
      timeoutMs: definition.timeoutMs,
      definition: toolDefinition(name, description, input),
      invoke: async (_scope, value, ctx) => definition.execute(value as Input, ctx),
    };
  } catch (error) {
    if (!(error instanceof InputDefinitionError)) throw error;
    throw new DefinitionError([{ code: 'TOOL_INPUT_ILLEGAL', where, what: error.what, cure: error.cure }]);
  }
}
