const REDACTED = '[secret]';
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/**
 * A credential that cannot be printed by accident: string conversion, JSON and `util.inspect` all give `[secret]`
 * (case AU-05). Only {@link reveal} gives the value, and only the code that sends it calls that.
 */
export class Secret {
  readonly #value: string;

  private constructor(value: string) {
    this.#value = value;
  }

  /** Surrounding white space is dropped (case NT-15); an empty or absent value is no secret at all. */
  static from(value: string | null | undefined): Secret | null {
    const trimmed = value?.trim();
    return trimmed ? new Secret(trimmed) : null;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [INSPECT](): string {
    return REDACTED;
  }
}

/** True when a value could not travel in an HTTP header: it holds a control character. */
export function hasControlCharacters(value: string): boolean {
  // eslint-disable-next-line no-control-regex
  return /[\u0000-\u001f\u007f-\u009f]/.test(value);
}
