export type OperationName = 'add' | 'subtract' | 'multiply' | 'divide';

export type Expression = NumberNode | OperationNode;

export interface NumberNode {
  readonly value: number;
}

/** One tool call's worth of work. */
export interface OperationNode {
  readonly operation: OperationName;
  readonly left: Expression;
  readonly right: Expression;
}

const TOKEN = /\s*(\d+(?:\.\d+)?|[-+*/()])/y;
const SUMS: ReadonlyMap<string, OperationName> = new Map([
  ['+', 'add'],
  ['-', 'subtract'],
]);
const PRODUCTS: ReadonlyMap<string, OperationName> = new Map([
  ['*', 'multiply'],
  ['/', 'divide'],
]);

/** Reads arithmetic with `+ - * /`, parentheses and signs; null for anything else, an unknown quantity for one. */
export function parseExpression(text: string): Expression | null {
  const tokens = tokenize(text.trim());
  if (!tokens) return null;
  const parser = new Parser(tokens);
  const expression = parser.sum();
  return parser.atEnd ? expression : null;
}

function tokenize(text: string): string[] | null {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const token = TOKEN.exec(text)?.[1];
    if (token === undefined) return null;
    tokens.push(token);
  }
  return tokens;
}

/** Recursive descent; every method gives null where the text is no expression. */
class Parser {
  #at = 0;

  constructor(private readonly tokens: readonly string[]) {}

  get atEnd(): boolean {
    return this.#at === this.tokens.length;
  }

  sum(): Expression | null {
    return this.#chain(SUMS, () => this.#chain(PRODUCTS, () => this.#factor()));
  }

  #chain(operations: ReadonlyMap<string, OperationName>, operand: () => Expression | null): Expression | null {
    let left = operand();
    for (;;) {
      const operation = operations.get(this.tokens[this.#at] ?? '');
      if (!left || !operation) return left;
      this.#at++;
      const right = operand();
      left = right && { operation, left, right };
    }
  }

  #factor(): Expression | null {
    const token = this.tokens[this.#at++];
    if (token === '-') return negate(this.#factor());
    if (token === '(') {
      const inner = this.sum();
      return this.tokens[this.#at++] === ')' ? inner : null;
    }
    const value = Number(token);
    return Number.isNaN(value) ? null : { value };
  }
}

function negate(expression: Expression | null): Expression | null {
  if (!expression) return null;
  if ('value' in expression) return { value: -expression.value };
  return { operation: 'subtract', left: { value: 0 }, right: expression };
}
