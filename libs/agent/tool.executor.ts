import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  createToolErrorResult,
  createToolResult,
  describeThrown,
  serializeToolResult,
  ToolArgumentError,
  ToolExecutionError,
  type Cancellation,
  type Clock,
  type ToolCall,
  type ToolMessage,
} from '#domain';
import { AGENT_OPTIONS, type AgentModuleOptions } from './agent.options.js';
import { LagWatchdog } from './isolation/lag.watchdog.js';
import { RolloutContext, toolCallId } from './rollout.context.js';
import type { RolloutSession } from './rollout.session.js';
import type { InputFault } from './schema/index.js';
import { readArguments } from './tool.arguments.js';
import type { ToolDescriptor } from './tool.types.js';

/** Runs the tool calls of one assistant message: side by side, each within its time, results in the order of the calls. */
@Injectable()
export class ToolExecutor {
  private readonly logger = new Logger('ToolExecutor');
  private readonly clock: Clock;
  private readonly concurrency: number;
  private readonly timeoutMs: number;

  constructor(
    @Inject(AGENT_OPTIONS) options: AgentModuleOptions,
    private readonly watchdog: LagWatchdog,
  ) {
    this.clock = options.clock;
    this.concurrency = options.tools.concurrency;
    this.timeoutMs = options.tools.timeoutMs;
  }

  /** @throws the reason, when the rollout is cancelled before all calls have ended */
  async execute(
    calls: readonly ToolCall[],
    session: RolloutSession,
    cancellation: Cancellation,
  ): Promise<ToolMessage[]> {
    cancellation.throwIfCancelled();
    if (calls.length === 1) return [await this.answer(calls[0] as ToolCall, session, cancellation)];
    const results = new Array<ToolMessage>(calls.length);
    let next = 0;
    const worker = async (): Promise<void> => {
      while (next < calls.length) {
        const index = next++;
        results[index] = await this.answer(calls[index] as ToolCall, session, cancellation);
      }
    };
    await Promise.all(Array.from({ length: Math.min(this.concurrency, calls.length) }, worker));
    return results;
  }

  private async answer(call: ToolCall, session: RolloutSession, cancellation: Cancellation): Promise<ToolMessage> {
    const id = toolCallId(call);
    const startedAt = this.clock.monotonic();
    let message: ToolMessage | null = null;
    let failed = false;
    try {
      const tool = findTool(call, session);
      const check = tool.input.check(readArguments(call));
      const checked = check instanceof Promise ? await check : check;
      if (!checked.ok) throw new ToolArgumentError(describeFaults(tool, checked.faults), { toolName: tool.name });
      const value = await this.runInTime(tool, checked.value, call, session, cancellation);
      message = createToolResult(id, textOf(value, call));
    } catch (error) {
      cancellation.throwIfCancelled();
      const text = describeThrown(error);
      this.logger.debug?.(`rollout ${JSON.stringify(session.request.rolloutId)}: tool call failed: ${text}`);
      message = createToolErrorResult(id, text);
      failed = true;
    } finally {
      const durationMs = this.clock.monotonic() - startedAt;
      session.meter.recordToolCall(durationMs);
      if (message) session.recorder?.toolAnswered(message, durationMs, failed);
    }
    return message;
  }

  /** Settles at the tool's end, its time limit or the rollout's cancellation, whichever comes first. */
  private runInTime(
    tool: ToolDescriptor,
    input: unknown,
    call: ToolCall,
    session: RolloutSession,
    parent: Cancellation,
  ): Promise<unknown> {
    const { cancellation, release } = parent.child();
    const context = new RolloutContext(session, cancellation, call);
    const limitMs = tool.timeoutMs ?? this.timeoutMs;
    return new Promise((resolve, reject) => {
      const timer = tool.isolated
        ? null
        : this.clock.after(limitMs, () => cancellation.cancel(toolTimedOut(tool.name, limitMs)));
      const listening = cancellation.onCancel(reject);
      if (!tool.isolated) this.watchdog.enter('tool', session.request.agent, tool.where);
      const stop = (): void => {
        timer?.stop();
        listening.leave();
        release();
      };
      // What comes after the limit is dropped: a settled promise ignores it, and it cannot crash the process.
      tool.invoke(session.scope, input, context).then(
        (value) => {
          stop();
          resolve(value);
        },
        (error: unknown) => {
          stop();
          reject(error);
        },
      );
    });
  }
}

function findTool(call: ToolCall, session: RolloutSession): ToolDescriptor {
  const name: unknown = (call as ToolCall | null)?.function?.name;
  if (typeof name !== 'string') {
    throw new ToolExecutionError(`This is no tool call: it names no function. Available tools: ${known(session)}`);
  }
  const tool = session.tools.get(name);
  if (!tool) {
    throw new ToolExecutionError(`There is no tool ${JSON.stringify(name)}. Available tools: ${known(session)}`);
  }
  return tool;
}

function known(session: RolloutSession): string {
  return session.tools.names.join(', ') || 'none';
}

function describeFaults(tool: ToolDescriptor, faults: readonly InputFault[]): string {
  const list = faults.map((fault) => (fault.path === '' ? fault.message : `${fault.path}: ${fault.message}`));
  return `The arguments of ${tool.name} do not fit its schema. ${list.join('; ')}`;
}

export function toolTimedOut(toolName: string, limitMs: number): ToolExecutionError {
  return new ToolExecutionError(
    `Tool ${toolName} did not finish within its time limit of ${limitMs} ms`,
    { toolName },
    'TOOL_TIMEOUT',
  );
}

function textOf(value: unknown, call: ToolCall): string {
  try {
    return serializeToolResult(value);
  } catch (error) {
    throw new ToolExecutionError(
      `Tool ${call.function?.name ?? ''} returned something that cannot be sent: ${describeThrown(error)}`,
      { cause: error },
    );
  }
}
