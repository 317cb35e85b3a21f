/** A tool's input cannot be described. Whoever reads the definitions adds where it stands. */
export class InputDefinitionError extends Error {
  override readonly name = 'InputDefinitionError';

  constructor(
    /** What is wrong, without a full stop. */
    readonly what: string,
    /** How to mend it, without a full stop. */
    readonly cure: string,
    options?: ErrorOptions,
  ) {
    super(`${what}. ${cure}`, options);
  }
}
