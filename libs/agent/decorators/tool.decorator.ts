import { MetadataAccessor, type Class } from '#discovery';

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
}

/**
 * Makes a method a tool. The model's arguments come checked as the first parameter, an instance of its class; a second
 * parameter receives the {@link RolloutContext} of the call. Whatever the method returns becomes the text of the tool
 * message; whatever it throws becomes an error text that the model can act on.
 */
export function Tool(options: ToolOptions): MethodDecorator {
  return (prototype, name) => MetadataAccessor.defineOnMethod(TOOL_METADATA, { ...options }, prototype, name);
}
