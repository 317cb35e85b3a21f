import { createHash } from 'node:crypto';
import { ChatCompletion, getMessageText, parseToolCalls, type ChatMessage, type ChatModel } from '#domain';
import { Dataset } from '../../dataset/index.js';
import type { EvaluationModel } from './evaluation.model.js';
import { answersIn, toMessage, type Script } from './script.js';
import { scriptOf } from './script.file.js';

/** A model that says what a script tells it to: for tests without a model. Tokens are invented: one for four characters. */
export class ScriptedEvaluationModel implements EvaluationModel {
  readonly identity: Readonly<Record<string, unknown>>;

  /** @param version tells two scripts of one name apart, e.g. a hash of the file */
  constructor(
    readonly name: string,
    private readonly script: Script,
    version?: string,
  ) {
    this.identity = { provider: 'scripted', model: name, version };
  }

  /**
   * A script from a JSON or JSONL file; the form is that of {@link scriptOf}.
   *
   * @throws DatasetError when the file cannot be read as a script
   */
  static async fromFile(path: string): Promise<ScriptedEvaluationModel> {
    const file = await Dataset.open({ path });
    try {
      const records: unknown[] = [];
      for await (const { record } of file.window()) records.push(record.read());
      return new ScriptedEvaluationModel(`scripted:${path}`, scriptOf(records, path), await file.sha256());
    } finally {
      await file.close();
    }
  }

  /** A script that is a function, e.g. an export of a module. */
  static fromFunction(name: string, script: Script): ScriptedEvaluationModel {
    const version = createHash('sha256').update(Function.prototype.toString.call(script)).digest('hex');
    return new ScriptedEvaluationModel(name, script, version);
  }

  async preflight(): Promise<void> {}

  open(): ChatModel {
    let given: number | null = null;
    return {
      complete: async (messages, { tools, cancellation }) => {
        cancellation.throwIfCancelled();
        // A dataset's conversation may hold answers of an assistant already; they are none of the script's.
        given ??= answersIn(messages);
        const message = toMessage(await this.script({ messages, tools }, answersIn(messages) - given));
        return new ChatCompletion({ message, finishReason: finishReason(message), usage: usage(messages, message) });
      },
    };
  }
}

function finishReason(message: ChatMessage): string {
  return parseToolCalls(message).length > 0 ? 'tool_calls' : 'stop';
}

function usage(messages: readonly ChatMessage[], answer: ChatMessage): ChatCompletion['usage'] {
  return { promptTokens: messages.reduce((sum, each) => sum + tokensOf(each), 0), completionTokens: tokensOf(answer) };
}

function tokensOf(message: ChatMessage): number {
  const calls = parseToolCalls(message);
  const text = getMessageText(message) + (calls.length > 0 ? JSON.stringify(calls) : '');
  return Math.ceil(text.length / 4);
}
