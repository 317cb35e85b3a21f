import { Agent, Tool, type DynamicTools, type RolloutContext } from '#agent';
import {
  getMessageContent,
  isUserMessage,
  type RolloutRequest,
  type RolloutResult,
  type ToolDefinition,
} from '#domain';
import { Reward } from '#reward';
import { ScriptedEvaluationModel } from '../run/models/scripted.model.js';
import type { Script } from '../run/models/script.js';

const NUMBERS = {
  type: 'object',
  properties: { a: { type: 'number' }, b: { type: 'number' } },
  required: ['a', 'b'],
};

/** Adds two numbers with a tool, in the built-in loop. */
@Agent({ name: 'adder', default: true })
export class AdderAgent {
  @Tool({ description: 'Add two numbers', input: NUMBERS })
  add({ a, b }: { readonly a: number; readonly b: number }): number {
    return a + b;
  }

  @Reward()
  exact(solution: string, truth: string): number {
    return solution === truth ? 1 : 0;
  }
}

/** Has nothing to be scored by, and no tools. */
@Agent({ name: 'plain', tools: [] })
export class PlainAgent {}

/** Fails in the ways its question names. */
@Agent({ name: 'moody', tools: [] })
export class MoodyAgent {
  async run(ctx: RolloutContext): Promise<RolloutResult> {
    const question = getMessageContent(ctx.request.messages.find(isUserMessage) ?? {});
    const messages = [...ctx.request.messages];
    if (question.startsWith('throw')) throw new Error('the agent is in a mood');
    if (question.startsWith('swallow')) {
      await ctx.chat(messages).catch(() => undefined);
      return ctx.complete(messages);
    }
    const answer = await ctx.chat(messages);
    if (question.startsWith('error')) return ctx.error('the agent gave up');
    return ctx.complete([...messages, answer.message]);
  }

  @Reward()
  score(solution: string, _truth: string): number {
    return solution === 'bad' ? NaN : Number(solution);
  }
}

/** Takes its tools from the row that it is asked about. */
@Agent({ name: 'dynamic', tools: [] })
export class DynamicAgent implements DynamicTools {
  static readonly asked: RolloutRequest[] = [];

  getTools(request: RolloutRequest): readonly ToolDefinition[] {
    DynamicAgent.asked.push(request);
    return (request.metadata['tools'] ?? []) as readonly ToolDefinition[];
  }

  @Reward()
  length(solution: string, _truth: string): number {
    return solution.length;
  }
}

const SUM = /(\d+) \+ (\d+)/;

/** Solves `What is 2 + 3?` by the tool `add`. */
export const addingScript: Script = ({ messages }, turn) => {
  const [, a, b] = SUM.exec(getMessageContent(messages.find(isUserMessage) ?? {})) ?? [];
  if (turn === 0)
    return [{ id: 'call_1', type: 'function', function: { name: 'add', arguments: `{"a":${a},"b":${b}}` } }];
  return getMessageContent(messages.at(-1) ?? {});
};

export const adder = (): ScriptedEvaluationModel =>
  ScriptedEvaluationModel.fromFunction('scripted:adder', addingScript);

/** Answers every question by its own text behind the first word. */
export const echo = (): ScriptedEvaluationModel =>
  ScriptedEvaluationModel.fromFunction('scripted:echo', ({ messages }) =>
    getMessageContent(messages.find(isUserMessage) ?? {}).replace(/^\S+ /, ''),
  );
