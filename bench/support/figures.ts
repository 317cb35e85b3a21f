/** One measured figure with its noise and, for those that have one, its goal. */
export interface Figure {
  readonly name: string;
  readonly value: number;
  /** `x` for ratios. */
  readonly unit: string;
  /** Over the windows or rounds. */
  readonly min?: number;
  readonly max?: number;
  /** Of the ratios of the rounds. */
  readonly median?: number;
  readonly goal?: Goal;
}

export interface Goal {
  readonly better: 'more' | 'less';
  readonly must: number;
  readonly aim: number;
}

/** The figures of one benchmark: a JSON line for each on stdout as it comes, a table for people on stderr at the end. */
export class Figures {
  readonly #all: Figure[] = [];

  constructor(private readonly bench: string) {}

  add(figure: Figure): void {
    this.#all.push(figure);
    const verdict = verdictOf(figure);
    process.stdout.write(`${JSON.stringify({ bench: this.bench, ...figure, ...(verdict && { verdict }) })}\n`);
  }

  print(): void {
    const width = Math.max(...this.#all.map(({ name }) => name.length));
    const rows = this.#all.map((figure) => {
      const { name, value, unit, min, max, median: middle, goal } = figure;
      const range = min === undefined || max === undefined ? '' : `${shown(min)} … ${shown(max)}`;
      const noise = middle === undefined ? range : `${range}, median ${shown(middle)}`;
      const goals = goal ? `must ${limit(goal, goal.must)}, aim ${limit(goal, goal.aim)}: ${verdictOf(figure)}` : '';
      return `${name.padEnd(width)} ${shown(value).padStart(9)} ${unit.padEnd(11)} ${noise.padEnd(33)} ${goals}`.trimEnd();
    });
    process.stderr.write(`\n${this.bench}\n${rows.map((row) => `  ${row}\n`).join('')}\n`);
  }
}

function verdictOf({ value, goal }: Figure): string | undefined {
  if (!goal) return undefined;
  const reaches = (mark: number): boolean => (goal.better === 'more' ? value >= mark : value <= mark);
  return reaches(goal.aim) ? 'aim' : reaches(goal.must) ? 'must' : 'missed';
}

function limit({ better }: Goal, mark: number): string {
  return `${better === 'more' ? '≥' : '≤'} ${mark}`;
}

function shown(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 1_000 ? 0 : size >= 100 ? 1 : size >= 1 ? 2 : 3);
}

export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? NaN;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** How the noise of several rounds is told. */
export function rangeOf(values: readonly number[]): { min: number; max: number } {
  return { min: Math.min(...values), max: Math.max(...values) };
}
