import { createHash } from 'node:crypto';
import { Dataset } from './dataset.js';
import { ColumnMapping } from './dataset.columns.js';
import { DatasetError, type DatasetFaultKind } from './dataset.error.js';
import type { DatasetRow, DatasetSpec } from './dataset.types.js';

/** Faults of one kind about one column. */
export interface DatasetProblem {
  readonly kind: DatasetFaultKind;
  readonly field: string | null;
  readonly count: number;
  /** The first of them, as whole messages with their places. */
  readonly examples: readonly string[];
}

export interface ColumnSummary {
  readonly name: string;
  /** Rows that have a value there which is not null. */
  readonly filled: number;
  /** Kinds of value → how many: text, number, boolean, list, object. */
  readonly types: Readonly<Record<string, number>>;
}

/** Everything there is to say about a dataset before it is used. */
export interface DatasetReport {
  readonly path: string;
  readonly rows: number;
  readonly valid: number;
  readonly invalid: number;
  /** False when the file could not be read to its end; the problems say why. */
  readonly complete: boolean;
  /** The most frequent first. */
  readonly problems: readonly DatasetProblem[];
  readonly columns: readonly ColumnSummary[];
  /** What can be used all the same, and may not be meant. */
  readonly notes: readonly string[];
  readonly sample: readonly DatasetRow[];
}

const MAX_EXAMPLES = 5;
const SAMPLE_ROWS = 3;

/** Names that we give to a rollout's metadata ourselves; a column of that name is not seen there (weakness H 23). */
const RESERVED = ['row_index', 'run_index', 'execution_mode', 'test_mode', 'model_tag'];

/**
 * Looks at every row of the window and says all that is wrong.
 *
 * @throws DatasetError only when the file cannot be opened
 */
export async function checkDataset(spec: DatasetSpec, stdin?: NodeJS.ReadableStream): Promise<DatasetReport> {
  const dataset = await Dataset.open(spec, stdin);
  const check = new DatasetCheck(dataset);
  try {
    await check.run();
  } finally {
    await dataset.close();
  }
  return check.report();
}

class DatasetCheck {
  private rows = 0;
  private valid = 0;
  private complete = true;
  private readonly problems = new Map<string, { first: DatasetError; count: number; examples: string[] }>();
  private readonly columns = new Map<string, { filled: number; types: Record<string, number> }>();
  private readonly questions = new Map<string, number>();
  private readonly sample: DatasetRow[] = [];

  constructor(private readonly dataset: Dataset) {}

  async run(): Promise<void> {
    const mapping = new ColumnMapping(this.dataset.path, this.dataset.spec.columns);
    try {
      for await (const { index, record } of this.dataset.window()) {
        this.rows++;
        this.attempt(() => this.take(this.dataset.toRow(record, index, mapping)));
      }
    } catch (error) {
      this.complete = false;
      this.note(error);
    }
  }

  report(): DatasetReport {
    return {
      path: this.dataset.path,
      rows: this.rows,
      valid: this.valid,
      invalid: this.rows - this.valid,
      complete: this.complete,
      problems: [...this.problems.values()]
        .sort((a, b) => b.count - a.count)
        .map(({ first, count, examples }) => ({ kind: first.kind, field: first.field ?? null, count, examples })),
      columns: [...this.columns].map(([name, summary]) => ({ name, ...summary })),
      notes: this.notes(),
      sample: this.sample,
    };
  }

  private attempt(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.note(error);
    }
  }

  private note(error: unknown): void {
    if (!(error instanceof DatasetError)) throw error;
    const key = `${error.kind} ${error.field ?? ''}`;
    const known = this.problems.get(key) ?? { first: error, count: 0, examples: [] };
    known.count++;
    if (known.examples.length < MAX_EXAMPLES) known.examples.push(error.message);
    this.problems.set(key, known);
  }

  private take(row: DatasetRow): void {
    this.valid++;
    if (this.sample.length < SAMPLE_ROWS) this.sample.push(row);
    const question = createHash('sha1').update(JSON.stringify(row.messages)).digest('base64');
    this.questions.set(question, (this.questions.get(question) ?? 0) + 1);
    for (const [name, value] of Object.entries(row.values)) this.describe(name, value);
  }

  private describe(name: string, value: unknown): void {
    const column = this.columns.get(name) ?? { filled: 0, types: {} };
    this.columns.set(name, column);
    if (value === null) return;
    column.filled++;
    const type = typeOf(value);
    column.types[type] = (column.types[type] ?? 0) + 1;
  }

  private notes(): string[] {
    const repeated = [...this.questions.values()].filter((count) => count > 1);
    const extra = repeated.reduce((sum, count) => sum + count - 1, 0);
    return [
      ...(extra > 0
        ? [`${extra} ${extra === 1 ? 'row repeats' : 'rows repeat'} the conversation of another row.`]
        : []),
      ...RESERVED.filter((name) => this.columns.has(name)).map(
        (name) => `The column '${name}' is not handed to the agent: a rollout's metadata has a field of its own there.`,
      ),
      ...[...this.columns]
        .filter(([, { types }]) => Object.keys(types).length > 1)
        .map(([name, { types }]) => `The column '${name}' holds values of several types: ${listTypes(types)}.`),
    ];
  }
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'list';
  return typeof value === 'string' ? 'text' : typeof value;
}

function listTypes(types: Readonly<Record<string, number>>): string {
  return Object.entries(types)
    .map(([type, count]) => `${count} × ${type}`)
    .join(', ');
}
