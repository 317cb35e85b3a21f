import {
  createToolResult,
  executeToolCalls,
  getToolCallInfo,
  readJsonText,
  serializeToolResult,
  type ToolCall,
} from '#domain';
import { HELPERS } from '../../support/helpers.js';
import { PythonProcess } from '../support/python.js';

/** What a helper returned, or the class and the message of what it threw. */
export type Answer = { readonly returns: unknown } | { readonly throws: string; readonly message: string };

/** The helpers as Python has them. Inputs are JSON texts, because `5.0` and `5` are one number here. */
export class HelperPeer {
  private constructor(private readonly process: PythonProcess) {}

  static start(): HelperPeer {
    return new HelperPeer(PythonProcess.start('peer.answer_calls'));
  }

  async ask(helper: string, input: string): Promise<Answer> {
    const answer = await this.process.ask(`{"helper": "${helper}", "in": ${input}}`);
    return readJsonText(answer, { nonFinite: true }) as Answer;
  }

  stop(): Promise<void> {
    return this.process.stop();
  }
}

const OURS: typeof HELPERS = {
  ...HELPERS,
  executeToolCalls: (calls) =>
    executeToolCalls(calls as ToolCall[] | null, async (call) => {
      const { id, args } = getToolCallInfo(call);
      return createToolResult(id as string, serializeToolResult(args));
    }),
};

export async function ourAnswer(helper: string, input: string): Promise<Answer> {
  try {
    return { returns: await OURS[helper]?.(JSON.parse(input)) };
  } catch (error) {
    const { name, message } = error as Error;
    return { throws: name, message };
  }
}
