/**
 * What a command says about itself. Plain data: help, parsing, shell completion, the documentation and the registration
 * with nest-commander are all made from it.
 */
export interface CommandDeclaration {
  /** One word, or several for a sub-command: `workspace list`. */
  readonly name: string;
  /** One line for the list of commands, without a full stop. */
  readonly summary: string;
  readonly description: string;
  readonly arguments?: readonly ArgumentDeclaration[];
  readonly options?: readonly OptionDeclaration[];
  readonly examples: readonly CommandExample[];
  /** Exit codes beside 0, 1 and 2 that the command may give, see `EXIT_CODES`. */
  readonly exitCodes?: readonly number[];
  /** The command ends by signals in its own way; others end at once with 130 or 143. */
  readonly handlesSignals?: boolean;
}

export interface CommandExample {
  readonly command: string;
  readonly description: string;
}

export interface ArgumentDeclaration {
  readonly name: string;
  readonly description: string;
  readonly required?: boolean;
  readonly choices?: readonly string[];
  /** The last one may be given several times. */
  readonly repeatable?: boolean;
}

export interface OptionDeclaration {
  /** `-p, --port <port>`; without `<…>` it is a flag, and `--no-…` a flag that is on unless given. */
  readonly flags: string;
  readonly description: string;
  /** Other long names, not shown. */
  readonly aliases?: readonly string[];
  readonly choices?: readonly string[];
  /** Makes the value a whole number within inclusive bounds. */
  readonly integer?: { readonly min: number; readonly max: number };
  /** Makes the value a number, fractions included, within inclusive bounds where there are any. */
  readonly number?: { readonly min?: number; readonly max?: number };
  /** Environment variable that sets the same. */
  readonly env?: string;
  /** As shown. Where the value comes from is the command's business. */
  readonly default?: string;
  readonly required?: boolean;
  readonly repeatable?: boolean;
  readonly hidden?: boolean;
}

export type OptionValue = string | number | boolean | readonly string[];

/** An option's declaration, taken apart. */
export interface OptionForm {
  readonly declaration: OptionDeclaration;
  /** `port` of `--port`; `no-validate` of `--no-validate`. */
  readonly long: string;
  readonly short: string | undefined;
  /** `port` of `<port>`; undefined for a flag. */
  readonly value: string | undefined;
  /** Name of the value in the parsed options: `maxConcurrent`; `validate` for `--no-validate`. */
  readonly key: string;
  readonly negated: boolean;
}

const FLAGS = /^(?:-(\w), )?--([a-z][a-z0-9-]*)(?: <([^>]+)>)?$/;

/** @throws TypeError for flags of another form: a mistake of ours */
export function formOf(declaration: OptionDeclaration): OptionForm {
  const [, short, long, value] = FLAGS.exec(declaration.flags) ?? [];
  if (long === undefined) throw new TypeError(`Cannot read the option flags '${declaration.flags}'`);
  const negated = value === undefined && long.startsWith('no-');
  const key = (negated ? long.slice(3) : long).replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
  return { declaration, long, short, value, key, negated };
}
