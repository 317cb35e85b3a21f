import type { JsonSchema } from '#domain';

/** One thing that is wrong with the arguments of a tool call, worded for the model that has to mend it. */
export interface InputFault {
  /** Where, e.g. `items[0].qty`; `''` for the arguments as a whole. */
  readonly path: string;
  /** What, without the path: `must be a number`. */
  readonly message: string;
}

/** At most {@link MAX_FAULTS} faults. `value` is what the tool gets. */
export type InputCheck =
  { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly faults: readonly InputFault[] };

/** What a tool takes: how it is told to the model, and how what the model sent is checked. */
export interface ToolInput {
  /** `{ type: 'object', properties, … }`, deep-frozen. */
  readonly schema: JsonSchema;
  /**
   * Never changes `args`, never converts a type. Throws or rejects only when a validator of the user's own does.
   */
  check(args: Record<string, unknown>): InputCheck | Promise<InputCheck>;
}

/** More than this tells a model nothing new. */
export const MAX_FAULTS = 20;
