import type { DefinitionProblems, ProviderDescriptor } from '#discovery';
import type { ToolDescriptor } from './tool.types.js';

const RENAMING = 'Rename one (@Tool({ name })), or say which agents get it: @Tool({ agents }) or @Agent({ tools })';

/** The tools without those whose name is taken, which are reported with both places. */
export function distinctTools(
  agent: ProviderDescriptor,
  tools: readonly ToolDescriptor[],
  problems: DefinitionProblems,
  cure = RENAMING,
): ToolDescriptor[] {
  const byName = new Map<string, ToolDescriptor>();
  for (const tool of tools) {
    const first = byName.get(tool.name);
    if (!first) {
      byName.set(tool.name, tool);
      continue;
    }
    problems.report({
      code: 'TOOL_DUPLICATE',
      where: agent.type.name,
      module: agent.module,
      what: `two tools are called '${tool.name}': ${first.where} and ${tool.where}`,
      cure,
    });
  }
  return [...byName.values()];
}
