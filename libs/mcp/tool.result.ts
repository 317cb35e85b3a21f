import type { CallToolResult } from '@modelcontextprotocol/client';

/**
 * What a tool gave, as a tool of ours would return it (spec F.9): structured content, of which a sole `result` is taken
 * out; else the texts, a line each; else nothing. Images and the like are named, so that the model knows of them.
 *
 * @throws Error with what the tool said, when it says that it failed
 */
export function readToolResult({ isError, structuredContent, content }: CallToolResult): unknown {
  const text = content.map(partText).join('\n');
  if (isError) throw new Error(text || 'the tool failed and does not say why');
  if (structuredContent === undefined) return text;
  if (!isPlain(structuredContent)) return structuredContent;
  const keys = Object.keys(structuredContent);
  return keys.length === 1 && keys[0] === 'result' ? structuredContent['result'] : structuredContent;
}

function partText(part: CallToolResult['content'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'resource':
      return 'text' in part.resource ? part.resource.text : `[resource ${part.resource.uri}]`;
    case 'resource_link':
      return `[resource ${part.uri}]`;
    default:
      return `[${part.type}]`;
  }
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
