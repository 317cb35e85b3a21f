import type { ToolDefinition } from '#domain';
import type { InvocationScope } from '#discovery';
import type { RolloutContext } from './rollout.context.js';
import type { ToolInput } from './schema/index.js';

/** A tool, ready to be offered and run. */
export interface ToolDescriptor {
  readonly name: string;
  /** As models see it, with the full JSON Schema of the arguments. */
  readonly definition: ToolDefinition;
  readonly input: ToolInput;
  /** Undefined: the module's default. */
  readonly timeoutMs: number | undefined;
  /** `Class.method`, for messages. */
  readonly where: string;
  /** It runs in a thread, where its time limit begins with it and is kept. */
  readonly isolated?: boolean;
  invoke(scope: InvocationScope, input: unknown, ctx: RolloutContext): Promise<unknown>;
}

/** The tools of one agent, or of one rollout. Immutable. */
export class ToolSet {
  static readonly NONE = new ToolSet([]);

  readonly definitions: readonly ToolDefinition[];
  readonly #byName: ReadonlyMap<string, ToolDescriptor>;
  #json: string | null = null;

  /** @param definitions what is offered to the model, when that is more than the runnable tools */
  constructor(tools: readonly ToolDescriptor[], definitions?: readonly ToolDefinition[]) {
    this.#byName = new Map(tools.map((tool) => [tool.name, tool]));
    this.definitions = definitions ?? tools.map((tool) => tool.definition);
  }

  get(name: string): ToolDescriptor | undefined {
    return this.#byName.get(name);
  }

  get names(): readonly string[] {
    return [...this.#byName.keys()];
  }

  [Symbol.iterator](): IterableIterator<ToolDescriptor> {
    return this.#byName.values();
  }

  /** The definitions as JSON text, made once. */
  get json(): string {
    return (this.#json ??= JSON.stringify(this.definitions));
  }
}
