import { OsmosisError } from '#domain';
import { holds, type Gate } from '../statistics/gate.js';

/** What an expression can ask of a row. */
export interface RowFigures {
  readonly mean: number | null;
  readonly pass_rate: number | null;
  readonly std: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** Runs of the row. */
  readonly n: number;
  /** Runs that failed. */
  readonly errors: number;
}

type FigureName = keyof RowFigures;
type Operand = number | FigureName;

interface Comparison {
  readonly left: Operand;
  readonly comparison: Gate['comparison'];
  readonly right: Operand;
}

const FIGURES: readonly FigureName[] = ['mean', 'pass_rate', 'std', 'min', 'max', 'n', 'errors'];
const TOKEN = /\s*(?:(?<number>-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)|(?<name>[a-z_]+)|(?<comparison>[<>]=?))\s*/iy;

/** A condition on rows, e.g. `0 < mean < 1`, `pass_rate <= 0.5 and errors < 1`. */
export class KeepExpression {
  private constructor(
    readonly text: string,
    private readonly comparisons: readonly Comparison[],
  ) {}

  /** @throws OsmosisError USAGE showing the form */
  static parse(text: string): KeepExpression {
    const comparisons = text.split(/\band\b/i).flatMap((part) => parseChain(part, text));
    return new KeepExpression(text, comparisons);
  }

  /** A figure that there is not fulfils nothing. */
  keeps(figures: RowFigures): boolean {
    return this.comparisons.every(({ left, comparison, right }) => {
      const [a, b] = [valueOf(left, figures), valueOf(right, figures)];
      return a !== null && b !== null && holds(a, comparison, b);
    });
  }
}

/** `a < b < c` is `a < b and b < c`. */
function parseChain(part: string, whole: string): Comparison[] {
  const tokens = tokensOf(part, whole);
  const comparisons: Comparison[] = [];
  for (let at = 0; at + 2 < tokens.length; at += 2) {
    const [left, comparison, right] = [tokens[at], tokens[at + 1], tokens[at + 2]];
    comparisons.push({
      left: operand(left, whole),
      comparison: comparisonOf(comparison, whole),
      right: operand(right, whole),
    });
  }
  if (comparisons.length === 0 || tokens.length !== comparisons.length * 2 + 1) throw unreadable(whole);
  return comparisons;
}

function tokensOf(part: string, whole: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < part.length) {
    const token = TOKEN.exec(part)?.[0];
    if (!token) throw unreadable(whole);
    tokens.push(token.trim());
  }
  return tokens;
}

function operand(token: string | undefined, whole: string): Operand {
  const figure = FIGURES.find((name) => name === token?.toLowerCase());
  if (figure) return figure;
  const value = Number(token);
  if (token === undefined || Number.isNaN(value)) throw unreadable(whole);
  return value;
}

function comparisonOf(token: string | undefined, whole: string): Gate['comparison'] {
  if (token === '<' || token === '<=' || token === '>' || token === '>=') return token;
  throw unreadable(whole);
}

function valueOf(value: Operand, figures: RowFigures): number | null {
  return typeof value === 'number' ? value : figures[value];
}

function unreadable(text: string): OsmosisError {
  return new OsmosisError(
    'USAGE',
    `The condition ${JSON.stringify(text)} cannot be read. Write comparisons like "0 < mean < 1" or ` +
      `"pass_rate <= 0.5 and errors < 1". Figures of a row: ${FIGURES.join(', ')}.`,
  );
}
