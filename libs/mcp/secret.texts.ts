/** Shorter values are no secrets (`1`, `true`), and blotting them out would make a message unreadable. */
const SHORTEST = 6;

/** Blots out what a server was given in confidence: it may repeat its key in what it says (case AU-05). */
export class SecretTexts {
  readonly #texts: readonly string[];

  /** @param values of environment variables and headers; `Bearer x` also hides `x` alone */
  constructor(values: readonly string[]) {
    const words = values.flatMap((value) => [value, ...value.split(/\s+/)]);
    this.#texts = [...new Set(words)].filter(({ length }) => length >= SHORTEST).sort((a, b) => b.length - a.length);
  }

  hide(text: string): string {
    return this.#texts.reduce((seen, secret) => seen.replaceAll(secret, '[secret]'), text);
  }
}
