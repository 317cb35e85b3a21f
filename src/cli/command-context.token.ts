/** Injection token of the `CommandContext` that a command runs in. */
export const COMMAND_CONTEXT = Symbol('COMMAND_CONTEXT');
