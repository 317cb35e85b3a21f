import { MetadataAccessor, type Class } from '#discovery';
import { callingFiles } from '../isolation/calling.files.js';

export const TOOL_METADATA = 'osmosis:tool';

export interface ToolOptions {
  /** For the model: what the tool does and when to use it. */
  readonly description: string;
  /** 1 to 64 letters, digits, `_` or `-`. Default: the method's name. */
  readonly name?: string;
  /**
   * What describes and checks the arguments when it is not the parameter's class: a class, a JSON Schema, or a Standard
   * Schema object (zod, valibot, arktype …).
   */
  readonly input?: unknown;
  /** Milliseconds until the model is told that the tool took too long. Default: the module's `tools.timeoutMs`. */
  readonly timeoutMs?: number;
  /** For tools of providers that are no agents: which agents get it, by class or name. Default: all. */
  readonly agents?: readonly (string | Class)[];
  /**
   * Runs the method in a thread that is ended at the time limit, whatever it does: for code that computes for long. It
   * then has its input alone: no context, no injected fields, and a result that can be sent (docs/isolation.md).
   */
  readonly isolate?: boolean;
}

/** What the decorator writes down. */
export interface ToolMetadata extends ToolOptions {
  /** Where a thread may find the class of an isolated method. */
  readonly files?: readonly string[];
}

/**
 * Makes a method a tool. The model's arguments come checked as the first parameter, an instance of its class; a second
 * parameter receives the {@link RolloutContext} of the call. Whatever the method returns becomes the text of the tool
 * message; whatever it throws becomes an error text that the model can act on.
 */
export function Tool(options: ToolOptions): MethodDecorator {
  const decorate: MethodDecorator = (prototype, name) => {
    const metadata: ToolMetadata = options.isolate ? { ...options, files: callingFiles(decorate) } : { ...options };
    MetadataAccessor.defineOnMethod(TOOL_METADATA, metadata, prototype, name);
  };
  return decorate;
}
