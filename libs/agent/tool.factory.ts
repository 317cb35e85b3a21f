import { Inject, Injectable } from '@nestjs/common';
import {
  DefinitionProblems,
  MetadataAccessor,
  MethodInvoker,
  type BoundMethod,
  type DecoratedMethod,
  type ProviderDescriptor,
} from '#discovery';
import { describeThrown, ToolExecutionError, type ToolDefinition } from '#domain';
import { AGENT_OPTIONS, type AgentModuleOptions } from './agent.options.js';
import { TOOL_METADATA, type ToolMetadata, type ToolOptions } from './decorators/tool.decorator.js';
import { IsolatedMethods } from './isolation/index.js';
import { RolloutContext } from './rollout.context.js';
import { InputDefinitionError, NO_INPUT, toolInputOf, type ToolInput } from './schema/index.js';
import { toolTimedOut } from './tool.executor.js';
import type { ToolDescriptor } from './tool.types.js';

/** What model APIs accept as a function name. */
export const LEGAL_TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** A decorated tool with what it says about who may use it. */
export interface DecoratedTool {
  readonly tool: ToolDescriptor;
  readonly agents: ToolOptions['agents'];
}

/** Turns decorated methods into tools; reports what cannot be turned. */
@Injectable()
export class ToolFactory {
  constructor(
    private readonly invoker: MethodInvoker,
    private readonly problems: DefinitionProblems,
    private readonly isolation: IsolatedMethods,
    @Inject(AGENT_OPTIONS) private readonly options: AgentModuleOptions,
  ) {}

  toolsOf(provider: ProviderDescriptor): DecoratedTool[] {
    return MetadataAccessor.methodsOf<ToolMetadata>(TOOL_METADATA, provider.type).flatMap((method) => {
      const tool = this.create(provider, method);
      return tool ? [{ tool, agents: method.metadata.agents }] : [];
    });
  }

  private create(provider: ProviderDescriptor, method: DecoratedMethod<ToolMetadata>): ToolDescriptor | undefined {
    const { metadata, methodName } = method;
    const where = `${provider.type.name}.${methodName}`;
    const name = metadata.name ?? methodName;
    let faults = 0;
    const report = (code: string, what: string, cure: string): void => {
      faults++;
      this.problems.report({ code, where, module: provider.module, what, cure });
    };

    if (!LEGAL_TOOL_NAME.test(name)) {
      const cure = "Give @Tool a 'name' of 1 to 64 letters, digits, '_' or '-'";
      report('TOOL_NAME_ILLEGAL', `the tool's name ${JSON.stringify(name)} is not legal for model APIs`, cure);
    }
    if (typeof metadata.description !== 'string' || metadata.description.trim() === '') {
      const cure = "Tell the model what the tool does: @Tool({ description: '…' })";
      report('TOOL_DESCRIPTION_EMPTY', 'the tool has no description', cure);
    }
    if (metadata.timeoutMs !== undefined && !(Number.isFinite(metadata.timeoutMs) && metadata.timeoutMs > 0)) {
      const cure = 'Give a positive number of milliseconds, or leave it out';
      report('TOOL_TIMEOUT_ILLEGAL', `timeoutMs is ${String(metadata.timeoutMs)}`, cure);
    }
    const signature = readSignature(method, report);
    if (!signature || faults > 0) return undefined;

    const isolated = metadata.isolate === true && this.isolation.enabled;
    const bound = isolated
      ? this.bindIsolated(provider, method, name)
      : this.invoker.bind(provider, methodName, 'osmosis:tool');
    return {
      name,
      where,
      input: signature.input,
      timeoutMs: metadata.timeoutMs,
      isolated,
      definition: toolDefinition(name, metadata.description, signature.input),
      invoke: signature.contextFirst
        ? (scope, _input, ctx) => bound(scope, ctx)
        : (scope, input, ctx) => bound(scope, input, ctx),
    };
  }

  /** Guards and interceptors run here, the method itself in a thread. */
  private bindIsolated(
    provider: ProviderDescriptor,
    { methodName, metadata }: DecoratedMethod<ToolMetadata>,
    toolName: string,
  ): BoundMethod {
    const limitMs = metadata.timeoutMs ?? this.options.tools.timeoutMs;
    const run = this.isolation.prepare({
      provider,
      methodName,
      files: metadata.files ?? [],
      limitMs,
      timedOut: () => toolTimedOut(toolName, limitMs),
      failed: (message, cause) => new ToolExecutionError(message, { toolName, cause }),
    });
    const standIn = (input: unknown, ctx: RolloutContext): Promise<unknown> => run([input], ctx.signal);
    return this.invoker.bind(provider, methodName, 'osmosis:tool', standIn);
  }
}

export function toolDefinition(name: string, description: string, input: ToolInput): ToolDefinition {
  return { type: 'function', function: { name, description, parameters: input.schema, strict: false } };
}

interface ToolSignature {
  readonly input: ToolInput;
  readonly contextFirst: boolean;
}

type Report = (code: string, what: string, cure: string) => void;

/** Finds which parameter is the input. Legal forms: `()`, `(ctx)`, `(input)`, `(input, ctx)`. */
function readSignature(method: DecoratedMethod<ToolOptions>, report: Report): ToolSignature | undefined {
  const { metadata, parameterTypes } = method;
  const count = parameterTypes?.length ?? method.arity;
  const contextFirst = parameterTypes?.[0] === RolloutContext;
  if (metadata.isolate && (contextFirst || count > 1)) {
    const cure = 'Take the input alone, and return what the context was for; or drop isolate';
    report('TOOL_ISOLATED_CONTEXT', 'the tool is isolated and takes a context, which does not exist in a thread', cure);
    return undefined;
  }
  if (count > (contextFirst ? 1 : 2)) {
    const cure = 'Take (input), (input, ctx: RolloutContext), (ctx: RolloutContext) or nothing';
    report('TOOL_PARAMETERS', `the method takes ${count} parameters`, cure);
    return undefined;
  }
  try {
    if (metadata.input !== undefined) return { input: toolInputOf(metadata.input), contextFirst };
    if (count === 0 || contextFirst) return { input: NO_INPUT, contextFirst };
    if (!parameterTypes) {
      const cure =
        'Compile with experimentalDecorators and emitDecoratorMetadata (tsc or SWC), or describe the input: @Tool({ input })';
      report('TOOL_INPUT_MISSING', 'the compiler has not written down the type of its parameter', cure);
      return undefined;
    }
    return { input: toolInputOf(parameterTypes[0]), contextFirst };
  } catch (error) {
    if (!(error instanceof InputDefinitionError)) throw error;
    report('TOOL_INPUT_ILLEGAL', error.what || describeThrown(error), error.cure);
    return undefined;
  }
}
