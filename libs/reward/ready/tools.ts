import type { ToolCall } from '#domain';

export interface ToolUseOptions {
  /** Count calls of this tool only. Default: of all. */
  readonly tool?: string;
  /** Calls that are wanted, at least and at most. Default: at least one. */
  readonly least?: number;
  readonly most?: number;
}

/**
 * 1 when the run made as many tool calls as wanted; less for each call too few or too many, 0 when none of what was wanted
 * came. Give it a trajectory's `toolCalls`.
 */
export function toolUse(calls: readonly ToolCall[], options: ToolUseOptions = {}): number {
  const { tool, least = options.most === undefined ? 1 : 0, most = Infinity } = options;
  const count = calls.filter((call) => tool === undefined || call.function?.name === tool).length;
  if (count < least) return count / least;
  return count > most ? most / count : 1;
}
