import type { OptionValue } from './declaration.js';

/** A command's options by key, with the types that its declaration gives them. */
export class ParsedOptions {
  constructor(private readonly values: Readonly<Record<string, OptionValue | undefined>>) {}

  /** Undefined when the option was not given. */
  text(key: string): string | undefined {
    return this.read(key, (value): value is string => typeof value === 'string', 'text');
  }

  integer(key: string): number | undefined {
    return this.number(key);
  }

  /** Fractions included. */
  number(key: string): number | undefined {
    return this.read(key, (value): value is number => typeof value === 'number', 'a number');
  }

  flag(key: string): boolean {
    return this.read(key, (value): value is boolean => typeof value === 'boolean', 'a flag') ?? false;
  }

  list(key: string): readonly string[] {
    return this.read(key, (value): value is readonly string[] => Array.isArray(value), 'a list') ?? [];
  }

  private read<Value extends OptionValue>(
    key: string,
    fits: (value: OptionValue) => value is Value,
    wanted: string,
  ): Value | undefined {
    const value = this.values[key];
    if (value === undefined || fits(value)) return value;
    throw new TypeError(`The option '${key}' is declared as something else than ${wanted}`);
  }
}
