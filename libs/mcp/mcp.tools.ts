import { Logger } from '@nestjs/common';
import { defineTool, type RolloutContext, type ToolDescriptor } from '#agent';
import { DefinitionError, formatProblem, type DefinitionProblem } from '#domain';
import { McpError } from './mcp.error.js';
import type { McpServerSpec } from './mcp.server.js';
import type { McpTool } from './mcp.session.js';
import { legalNames } from './tool.names.js';

type Call = (tool: McpTool, args: Record<string, unknown>, ctx: RolloutContext) => Promise<unknown>;

/**
 * The tools of a server as tools of ours.
 *
 * @throws McpError naming every tool that no model could be offered
 */
export function describeTools(spec: McpServerSpec, tools: readonly McpTool[], call: Call): ToolDescriptor[] {
  const names = legalNames(tools.map(({ name }) => spec.prefix + name));
  const problems: DefinitionProblem[] = [];
  const described = tools.flatMap((tool) => {
    const name = names.get(spec.prefix + tool.name) ?? tool.name;
    try {
      return [describeTool(spec, tool, name, call)];
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error;
      problems.push(...error.problems);
      return [];
    }
  });
  if (problems.length === 0) return described;
  const list = problems.map((problem) => formatProblem(problem)).join('; ');
  throw new McpError(spec.label, `offers tools that no model can be given: ${list}`, 'DEFINITION_INVALID');
}

function describeTool({ label, timeoutMs }: McpServerSpec, tool: McpTool, name: string, call: Call): ToolDescriptor {
  const defined = defineTool<Record<string, unknown>>({
    name,
    description: tool.description?.trim() || `Tool: ${tool.name}`,
    input: tool.inputSchema,
    timeoutMs,
    // The executor keeps the time and the cancellation; the context's signal brings both to the server.
    execute: (args, ctx) => call(tool, args, ctx),
  });
  return { ...defined, where: `${tool.name} of the MCP server ${label}` };
}

/** A server may come back as another version. The log tells why its tools then fail. */
export function warnOfChanges(label: string, before: readonly McpTool[], now: readonly McpTool[]): void {
  const [old, fresh] = [before, now].map((tools) => new Map(tools.map((tool) => [tool.name, textOf(tool)])));
  const changed = [...new Set([...old!.keys(), ...fresh!.keys()])].filter(
    (name) => old!.get(name) !== fresh!.get(name),
  );
  if (changed.length === 0) return;
  const list = changed.map((name) => (fresh!.has(name) ? name : `${name} (gone)`)).join(', ');
  new Logger('Mcp').warn(
    `MCP server ${label} has come back with other tools: ${list}. Agents keep those of the start until the next one.`,
  );
}

function textOf({ description, inputSchema }: McpTool): string {
  return JSON.stringify([description, inputSchema]);
}
