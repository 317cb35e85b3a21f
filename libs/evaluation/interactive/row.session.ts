import { ToolSet, type AgentDescriptor, type ToolDescriptor } from '#agent';
import { describeThrown, OsmosisError, type Cancellation, type ChatMessage, type Clock } from '#domain';
import type { DatasetRow } from '../dataset/index.js';
import type { AgentHost } from '../run/agent.host.js';
import { runLocally, type RolloutLimits } from '../run/local.rollout.js';
import type { EvaluationModel } from '../run/models/evaluation.model.js';
import { writeAtomically } from '../run/output.files.js';
import { END_HELP, parseCommand, PAUSE_HELP, type Command } from './commands.js';
import { conversationText, messageText, resultText, toolsText, turnText } from './conversation.text.js';
import type { InteractiveIo } from './line.input.js';
import { SteppingModel, type Pause } from './stepping.model.js';

/** Where the session goes after a row. */
export type AfterRow =
  { readonly kind: 'choose' } | { readonly kind: 'end' } | { readonly kind: 'row'; readonly row: number };

export interface RowSessionParts {
  readonly host: AgentHost;
  readonly agent: AgentDescriptor;
  readonly tools: readonly ToolDescriptor[];
  readonly model: EvaluationModel;
  readonly limits: RolloutLimits;
  readonly io: InteractiveIo;
  readonly clock: Clock;
  /** Ends the whole session. */
  readonly cancellation: Cancellation;
}

/** Runs one row, pausing after each answer of the model. */
export class RowSession {
  readonly #cancellation: Cancellation;
  readonly #release: () => void;
  #pauses = true;
  /** As it was at the last pause. */
  #conversation: readonly ChatMessage[] = [];
  #tools = ToolSet.NONE;
  /** Set when the row was given up, or the session ended. */
  #goTo: AfterRow | null = null;

  constructor(
    private readonly parts: RowSessionParts,
    private readonly row: DatasetRow,
  ) {
    const { cancellation, release } = parts.cancellation.child();
    this.#cancellation = cancellation;
    this.#release = release;
  }

  async run(): Promise<AfterRow> {
    const { host, agent, tools: addedTools, model, limits, io, clock } = this.parts;
    io.write(`\n════ Row ${this.row.index} ════\n${conversationText(this.row.messages)}`);
    const stepping = new SteppingModel(model.open(), this.#cancellation, {
      onToolResults: (results) =>
        results.forEach(({ message, tool }) => io.write(messageText(message, `tool: ${tool}`))),
      onAnswer: (pause) => this.onAnswer(pause),
    });
    const result = await runLocally(host, stepping, {
      row: this.row,
      agent,
      addedTools,
      limits,
      rolloutId: this.rolloutId,
      metadata: { execution_mode: 'test', test_mode: true },
      cancellation: this.#cancellation,
      clock,
      onTools: (tools) => {
        this.#tools = tools;
        io.write(toolsText(tools));
      },
    });
    this.#release();
    io.write(resultText(result));
    if (this.parts.cancellation.reason !== null) return { kind: 'end' };
    // An answer that was given up at is none of the rollout's, but can still be looked at.
    const wasGivenUp = this.#cancellation.reason !== null;
    return this.#goTo ?? (await this.afterResult(wasGivenUp ? this.#conversation : result.outcome.finalMessages));
  }

  private get rolloutId(): string {
    return `test-${this.row.index}`;
  }

  private async onAnswer({ turn, completion, messages }: Pause): Promise<ChatMessage> {
    const { io } = this.parts;
    io.write(turnText(turn, completion));
    let answer = completion.message;
    while (this.#pauses && this.#cancellation.reason === null) {
      const command = parseCommand(await io.readLine('(n/c/m/t/e/s/r N/q/?) > '));
      this.#conversation = [...messages.slice(0, -1), answer];
      switch (command.kind) {
        case 'next':
          return answer;
        case 'continue':
          this.#pauses = false;
          break;
        case 'edit':
          answer = await this.edit(answer, command.text);
          break;
        case 'quit':
        case 'row':
        case 'end':
          this.giveUp(command);
          break;
        default:
          await this.show(command, this.#conversation, PAUSE_HELP);
      }
    }
    return answer;
  }

  private async afterResult(messages: readonly ChatMessage[]): Promise<AfterRow> {
    for (;;) {
      const command = parseCommand(await this.parts.io.readLine('(m/s/r N/Enter/?) > '));
      switch (command.kind) {
        case 'next':
        case 'continue':
        case 'quit':
          return { kind: 'choose' };
        case 'end':
          return { kind: 'end' };
        case 'row':
          return command;
        default:
          await this.show(command, messages, END_HELP);
      }
    }
  }

  /** Commands that change nothing. */
  private async show(command: Command, messages: readonly ChatMessage[], help: string): Promise<void> {
    const { io } = this.parts;
    if (command.kind === 'messages') io.write(conversationText(messages));
    else if (command.kind === 'tools') io.write(toolsText(this.#tools));
    else if (command.kind === 'save') await this.save(command.text || `${this.rolloutId}.json`, messages);
    else io.write(command.kind === 'unknown' ? `Unknown command: ${command.text}\n${help}` : help);
  }

  private giveUp(command: Command): void {
    // After q the row can still be looked at; the others go on at once.
    if (command.kind === 'row') this.#goTo = command;
    if (command.kind === 'end') this.#goTo = { kind: 'end' };
    this.#cancellation.cancel(new OsmosisError('CANCELLED', 'aborted by user'));
  }

  /** Text becomes the whole answer, without tool calls; a JSON object becomes the message. */
  private async edit(answer: ChatMessage, given: string): Promise<ChatMessage> {
    const { io } = this.parts;
    const text = given || ((await io.readLine('New answer (text, or a message as JSON): ')) ?? '').trim();
    if (text === '') return answer;
    const message = toAssistantMessage(text);
    io.write(
      message ? messageText(message) : 'This is no message: JSON must be one object. The answer is as it was.\n',
    );
    return message ?? answer;
  }

  private async save(path: string, messages: readonly ChatMessage[]): Promise<void> {
    const { io } = this.parts;
    try {
      await writeAtomically(path, [`${JSON.stringify(messages, null, 2)}\n`]);
      io.write(`Saved ${messages.length} messages to ${path}\n`);
    } catch (error) {
      io.write(`${describeThrown(error)}\n`);
    }
  }
}

function toAssistantMessage(text: string): ChatMessage | undefined {
  if (!/^[{[]/.test(text)) return { role: 'assistant', content: text };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return { ...value, role: 'assistant' };
  } catch {
    // Text may begin with a bracket.
    return { role: 'assistant', content: text };
  }
}
