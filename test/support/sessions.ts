import {
  agentOptions,
  LagWatchdog,
  RolloutContext,
  RolloutMeter,
  RolloutSession,
  ToolExecutor,
  ToolSet,
  type TraceSink,
  type TrajectoryRecorder,
} from '#agent';
import { InvocationScope } from '#discovery';
import {
  Cancellation,
  ChatCompletion,
  systemClock,
  type ChatCall,
  type ChatMessage,
  type ChatModel,
  type RolloutRequest,
} from '#domain';

/** A model that answers from a list and keeps what it was asked. */
export class ListedModel implements ChatModel {
  readonly asked: { messages: ChatMessage[]; call: ChatCall }[] = [];

  constructor(private readonly answers: readonly (Partial<ChatMessage> & { finish?: string; tokens?: number })[]) {}

  async complete(messages: readonly ChatMessage[], call: ChatCall): Promise<ChatCompletion> {
    const answer = this.answers[this.asked.length];
    this.asked.push({ messages: [...messages], call });
    if (!answer) throw new Error('the list is at its end');
    const { finish = 'stop', tokens = 10, ...message } = answer;
    return new ChatCompletion({
      message: { role: 'assistant', ...message },
      finishReason: finish,
      usage: { promptTokens: tokens, completionTokens: 1 },
    });
  }
}

export function requestOf(more: Partial<RolloutRequest> = {}): RolloutRequest {
  return {
    rolloutId: 'r1',
    agent: 'agent',
    trainer: { dialect: 'test', url: 'http://127.0.0.1:9', apiKey: null },
    messages: [{ role: 'user', content: 'hi' }],
    completionParams: { temperature: 0.5, stop: ['END'] },
    toolServerUrl: null,
    maxTurns: 10,
    maxTokensTotal: 8192,
    metadata: {},
    idempotencyKey: null,
    ...more,
  };
}

export interface SessionParts {
  readonly request?: Partial<RolloutRequest>;
  readonly tools?: ToolSet;
  readonly model?: ChatModel;
  readonly trace?: TraceSink;
  readonly recorder?: TrajectoryRecorder;
  readonly executor?: ToolExecutor;
}

export function sessionOf(parts: SessionParts = {}): { session: RolloutSession; ctx: RolloutContext } {
  const request = requestOf(parts.request);
  const session = new RolloutSession({
    request,
    tools: parts.tools ?? ToolSet.NONE,
    model: parts.model ?? new ListedModel([{ content: 'hello' }]),
    executor: parts.executor ?? new ToolExecutor(agentOptions(), new LagWatchdog(agentOptions())),
    scope: new InvocationScope(request),
    meter: new RolloutMeter(systemClock),
    cancellation: new Cancellation(),
    trace: parts.trace ?? null,
    recorder: parts.recorder ?? null,
  });
  return { session, ctx: new RolloutContext(session) };
}
