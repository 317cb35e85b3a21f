import { DatasetError, type DatasetPlace } from './dataset.error.js';
import { KNOWN_COLUMNS, type KnownColumn } from './dataset.types.js';

type Values = Readonly<Record<string, unknown>>;

interface Naming {
  /** Of the row. */
  readonly keys: readonly string[];
  /** Theirs → ours. */
  readonly names: ReadonlyMap<string, string>;
  readonly isSame: boolean;
}

/** Where the columns we know stand in a row, by the row's own names. Columns that are not mapped match in any case. */
export class ColumnMapping {
  readonly #given: ReadonlyMap<string, string>;
  /** Rows of one file nearly always have the same keys, so the last answer serves again. */
  #last: Naming | null = null;

  /** @param columns our name → the file's name */
  constructor(
    private readonly path: string,
    columns: Readonly<Record<string, string>> = {},
  ) {
    this.#given = new Map(Object.entries(columns).map(([ours, theirs]) => [theirs, ours]));
    if (this.#given.size < Object.keys(columns).length) {
      const message = 'two of our columns are taken from the same column. Name another one for each';
      throw new DatasetError(path, { kind: 'columns', message });
    }
  }

  /**
   * The row under our names (spec F.1; case DS-13); the same object where it has these names already.
   *
   * @throws DatasetError when a mapped column is missing, or two columns are the same to us
   */
  apply(row: Values, place: DatasetPlace): Values {
    const keys = Object.keys(row);
    const naming = this.#last && areEqual(this.#last.keys, keys) ? this.#last : this.name(keys, place);
    this.#last = naming;
    if (naming.isSame) return row;
    const entries: [string, unknown][] = [];
    for (const [theirs, ours] of naming.names) entries.push([ours, row[theirs]]);
    return Object.fromEntries(entries);
  }

  private name(keys: readonly string[], place: DatasetPlace): Naming {
    const names = this.nameAll(keys, place);
    return { keys, names, isSame: keys.every((key) => names.get(key) === key) };
  }

  private nameAll(keys: readonly string[], place: DatasetPlace): Map<string, string> {
    for (const theirs of this.#given.keys()) if (!keys.includes(theirs)) throw this.missing(theirs, keys, place);
    const names = new Map<string, string>();
    const sources = new Map<string, string>();
    for (const theirs of keys) {
      const ours = this.#given.get(theirs) ?? knownName(theirs) ?? theirs;
      // What a mapping replaces is replaced; otherwise two columns of one meaning are a question only the user can answer.
      if (this.isReplaced(theirs, ours)) continue;
      const other = sources.get(ours);
      if (other !== undefined) throw this.collision(ours, other, theirs, place);
      sources.set(ours, theirs);
      names.set(theirs, ours);
    }
    return names;
  }

  private isReplaced(theirs: string, ours: string): boolean {
    return !this.#given.has(theirs) && [...this.#given.values()].includes(ours);
  }

  private missing(theirs: string, keys: readonly string[], place: DatasetPlace): DatasetError {
    const ours = this.#given.get(theirs);
    const message = `there is no column '${theirs}' to take ${ours} from. Columns: ${keys.join(', ') || 'none'}`;
    return new DatasetError(this.path, { kind: 'columns', message, place, field: theirs });
  }

  private collision(ours: string, first: string, second: string, place: DatasetPlace): DatasetError {
    const message = `the columns '${first}' and '${second}' are both ${ours}. Rename one, or say which: --columns ${ours}=${first}`;
    return new DatasetError(this.path, { kind: 'columns', message, place, field: ours });
  }
}

function areEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key, index) => key === other[index]);
}

function knownName(name: string): KnownColumn | undefined {
  const lower = name.toLowerCase();
  return KNOWN_COLUMNS.find((known) => known === lower);
}
