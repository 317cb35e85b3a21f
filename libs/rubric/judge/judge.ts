import { type Cancellation, type ChatMessage, type ChatParams, type TokenUsage } from '#domain';
import { ProviderRequestError, type HostedChatModel, type HostedCompletion } from '#model/plain';
import { judgePrompt, repairPrompt, type PromptOptions } from '../prompt/judge.prompt.js';
import { UnreadableVerdictError } from '../rubric.error.js';
import { outputRequest, refusesOutput } from './structured.output.js';
import { readVerdict, VerdictSyntaxError, type ReadVerdict } from './verdict.reader.js';
import type { JudgeCase } from '../rubric.request.js';

/** One answer of one judge. */
export interface Vote extends ReadVerdict {
  /** The provider's answer as it came. */
  readonly raw: Readonly<Record<string, unknown>>;
  /** The answer could be read only after the judge was asked to mend it. */
  readonly repaired: boolean;
  /** Of all requests the vote took; null when the provider did not say. */
  readonly usage: TokenUsage | null;
}

export interface JudgeOptions extends PromptOptions {
  readonly temperature?: number;
  readonly cancellation: Cancellation;
}

/** The longest part of an unreadable answer that is shown to the judge again. */
const LONGEST_ECHO = 4000;

/** One model that scores. */
export class Judge {
  constructor(private readonly model: HostedChatModel) {}

  get name(): string {
    return `${this.model.resolved.provider}/${this.model.resolved.model}`;
  }

  /**
   * Asks for a verdict; asks once more when it cannot be read; never digs a score out of prose.
   *
   * @throws UnreadableVerdictError, ProviderRequestError, or the cancellation's reason
   */
  async vote(judged: JudgeCase, options: JudgeOptions): Promise<Vote> {
    const messages = judgePrompt(judged, options);
    const first = await this.ask(messages, options);
    try {
      return { ...this.read(first, judged), raw: first.raw, repaired: false, usage: first.usage };
    } catch (error) {
      if (!(error instanceof VerdictSyntaxError)) throw error;
      const turn: ChatMessage[] = [
        { role: 'assistant', content: answerText(first).slice(0, LONGEST_ECHO) || '(no answer)' },
        { role: 'user', content: repairPrompt(error.message, judged.bounds) },
      ];
      const second = await this.ask([...messages, ...turn], options);
      return this.readRepaired(first, second, judged);
    }
  }

  private readRepaired(first: HostedCompletion, second: HostedCompletion, judged: JudgeCase): Vote {
    try {
      return { ...this.read(second, judged), raw: second.raw, repaired: true, usage: sum(first.usage, second.usage) };
    } catch (error) {
      if (!(error instanceof VerdictSyntaxError)) throw error;
      const { provider, model } = this.model.resolved;
      const cut = second.finishReason === 'length' ? ' (it was cut at the token limit)' : '';
      throw new UnreadableVerdictError(provider, model, `${error.message}${cut}, also when asked again`);
    }
  }

  private read(completion: HostedCompletion, judged: JudgeCase): ReadVerdict {
    const refusal = completion.message.refusal;
    if (typeof refusal === 'string' && refusal !== '' && completion.content === '') {
      const { provider, model } = this.model.resolved;
      throw new ProviderRequestError({
        kind: 'content_filter',
        provider,
        model,
        detail: `the judge refused: ${refusal.slice(0, 200)}`,
      });
    }
    return readVerdict(answerText(completion), judged.bounds);
  }

  /** Asks in the most binding way the model takes, and remembers which it does not. */
  private async ask(messages: readonly ChatMessage[], options: JudgeOptions): Promise<HostedCompletion> {
    const { resolved, memory } = this.model;
    for (;;) {
      const [output = 'plain'] = memory.outputsOf(resolved);
      const { params, tools } = outputRequest(output);
      try {
        return await this.model.complete(messages, {
          params: { ...params, ...sampling(options.temperature) },
          preferred: { temperature: 0 },
          tools,
          cancellation: options.cancellation,
        });
      } catch (error) {
        if (!(error instanceof ProviderRequestError) || !refusesOutput(error, output)) throw error;
        memory.forgetOutput(resolved, output);
      }
    }
  }
}

function sampling(temperature: number | undefined): ChatParams {
  return temperature === undefined ? {} : { temperature };
}

/** The arguments of the forced tool call, or what the judge said. Some servers give the arguments as an object. */
function answerText(completion: HostedCompletion): string {
  const args = completion.toolCalls[0]?.function?.arguments;
  if (typeof args === 'string') return args;
  if (args) return JSON.stringify(args);
  return completion.content;
}

function sum(a: TokenUsage | null, b: TokenUsage | null): TokenUsage | null {
  if (!a || !b) return a ?? b;
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
  };
}
