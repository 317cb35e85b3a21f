/**
 * A JSON reader for the cases `JSON.parse` cannot serve: it says where a text is broken, takes the literals `NaN` and
 * `Infinity` that Python writes, and can tell `5` from `5.0`. Slower than `JSON.parse`; call it after that has failed.
 */
export class JsonSyntaxError extends Error {
  constructor(
    /** What was expected. */
    readonly reason: string,
    /** Where, in characters (UTF-16 units) from the start. */
    readonly offset: number,
  ) {
    super(`${reason} at position ${offset}`);
    this.name = 'JsonSyntaxError';
  }
}

/** The text is nested deeper than {@link MAX_JSON_DEPTH}. */
export class JsonDepthError extends Error {
  override readonly name = 'JsonDepthError';
}

/** About where Python's reader gives up. Deeper text would overflow `JSON.stringify` later. */
export const MAX_JSON_DEPTH = 990;

export interface JsonTextOptions {
  /** Takes `NaN`, `Infinity` and `-Infinity`. */
  readonly nonFinite?: boolean;
  /** Makes the value of a number from its source text. */
  readonly number?: (source: string) => unknown;
}

const WHITE_SPACE = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?/y;
const STRING_CHUNK = /[^"\\\u0000-\u001f]*/y; // eslint-disable-line no-control-regex
const LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
]);
const NON_FINITE: ReadonlyMap<string, number> = new Map([
  ['NaN', NaN],
  ['Infinity', Infinity],
  ['-Infinity', -Infinity],
]);
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** @throws JsonSyntaxError where the text is no JSON, JsonDepthError when it is nested too deep */
export function readJsonText(text: string, options: JsonTextOptions = {}): unknown {
  const reader = new JsonTextReader(text, options);
  return reader.read();
}

class JsonTextReader {
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly options: JsonTextOptions,
  ) {}

  read(): unknown {
    this.skipWhiteSpace();
    const value = this.value(0);
    this.skipWhiteSpace();
    if (this.at < this.text.length) throw new JsonSyntaxError('Extra data', this.at);
    return value;
  }

  private value(depth: number): unknown {
    const first = this.text[this.at];
    if (first === '"') return this.string();
    if (first === '{' || first === '[') {
      if (depth === MAX_JSON_DEPTH) throw new JsonDepthError(`JSON is nested deeper than ${MAX_JSON_DEPTH} levels`);
      return first === '{' ? this.object(depth + 1) : this.array(depth + 1);
    }
    for (const [word, value] of LITERALS) if (this.take(word)) return value;
    if (this.options.nonFinite) for (const [word, value] of NON_FINITE) if (this.take(word)) return value;
    const source = this.match(NUMBER);
    if (source === '') throw new JsonSyntaxError('Expecting value', this.at);
    return this.options.number ? this.options.number(source) : Number(source);
  }

  private object(depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    this.at++;
    this.skipWhiteSpace();
    if (this.take('}')) return result;
    for (;;) {
      if (this.text[this.at] !== '"') {
        throw new JsonSyntaxError('Expecting property name enclosed in double quotes', this.at);
      }
      const key = this.string();
      this.skipWhiteSpace();
      if (!this.take(':')) throw new JsonSyntaxError("Expecting ':' delimiter", this.at);
      this.skipWhiteSpace();
      // As JSON.parse does it: an own property, also for the name __proto__.
      Object.defineProperty(result, key, {
        value: this.value(depth),
        enumerable: true,
        configurable: true,
        writable: true,
      });
      this.skipWhiteSpace();
      if (this.take('}')) return result;
      if (!this.take(',')) throw new JsonSyntaxError("Expecting ',' delimiter", this.at);
      this.skipWhiteSpace();
    }
  }

  private array(depth: number): unknown[] {
    const result: unknown[] = [];
    this.at++;
    this.skipWhiteSpace();
    if (this.take(']')) return result;
    for (;;) {
      result.push(this.value(depth));
      this.skipWhiteSpace();
      if (this.take(']')) return result;
      if (!this.take(',')) throw new JsonSyntaxError("Expecting ',' delimiter", this.at);
      this.skipWhiteSpace();
    }
  }

  private string(): string {
    const start = this.at++;
    let result = '';
    for (;;) {
      result += this.match(STRING_CHUNK);
      const stop = this.text[this.at];
      if (stop === undefined) throw new JsonSyntaxError('Unterminated string starting at', start);
      if (stop === '"') {
        this.at++;
        return result;
      }
      if (stop !== '\\') throw new JsonSyntaxError('Invalid control character at', this.at);
      result += this.escape(start);
    }
  }

  private escape(stringStart: number): string {
    const code = this.text[this.at + 1];
    if (code === undefined) throw new JsonSyntaxError('Unterminated string starting at', stringStart);
    if (code === 'u') {
      const digits = this.text.slice(this.at + 2, this.at + 6);
      const end = this.at + 6;
      // As Python sees it, a text that ends with the digits has cut them off.
      const isCut = end >= this.text.length || !/^[0-9a-fA-F]{4}$/.test(digits);
      if (isCut) throw new JsonSyntaxError('Invalid \\uXXXX escape', this.at + 1);
      this.at = end;
      return String.fromCharCode(parseInt(digits, 16));
    }
    const plain = ESCAPES[code];
    if (plain === undefined) throw new JsonSyntaxError('Invalid \\escape', this.at);
    this.at += 2;
    return plain;
  }

  private skipWhiteSpace(): void {
    this.match(WHITE_SPACE);
  }

  private take(word: string): boolean {
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  private match(pattern: RegExp): string {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.text)?.[0] ?? '';
    this.at += found.length;
    return found;
  }
}
