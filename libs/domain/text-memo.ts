/** Texts remembered at most. A server knows few trainers; a stranger who names ever new ones must not fill the memory. */
const LIMIT = 1_000;
/** Longer texts are not worth their memory. */
const LONGEST = 2_048;

/**
 * Remembers what is made of a text, such as a parsed URL: rollouts of one trainer bring the same few again and again.
 * Forgets all when there are too many. What is thrown is not remembered.
 */
export class TextMemo<Value> {
  readonly #known = new Map<string, Value>();

  constructor(private readonly make: (text: string) => Value) {}

  get(text: string): Value {
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    const value = this.make(text);
    if (text.length > LONGEST) return value;
    if (this.#known.size >= LIMIT) this.#known.clear();
    this.#known.set(text, value);
    return value;
  }
}
