import { laxBool, laxFloat, laxInt, type Checked } from './lax-values.js';
import type { RequestFault } from './request-fault.js';

/** A further rule for a text that has the right type: the `type` and `msg` of its fault, or null. */
export type TextRule = (text: string) => { readonly type: string; readonly msg: string } | null;

export interface FieldReaderOptions {
  /** Where the object stands in the body. */
  readonly loc?: readonly (string | number)[];
  /** The text of a number field in the body, for the integers that a JavaScript number cannot tell from a float. */
  readonly numberSource?: (field: string) => string | undefined;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const STRING_TYPE = { type: 'string_type', msg: 'Input should be a valid string' };
const LIST_TYPE = { type: 'list_type', msg: 'Input should be a valid list' };
const DICT_TYPE = { type: 'dict_type', msg: 'Input should be a valid dictionary' };
const MISSING = { type: 'missing', msg: 'Field required' };

/**
 * Reads the fields of a parsed JSON object as the reference's models do (spec 1.2, lax mode) and collects every fault in
 * the order of the calls. A method whose field is faulty returns an empty stand-in of its type: look at {@link faults}
 * before using any value.
 *
 * A `fallback` makes a field optional; `null` is a fault all the same, but for the `nullable` methods.
 */
export class FieldReader {
  readonly faults: RequestFault[] = [];
  readonly #loc: readonly (string | number)[];
  readonly #numberSource: FieldReaderOptions['numberSource'];

  constructor(
    private readonly fields: JsonObject,
    options: FieldReaderOptions = {},
  ) {
    this.#loc = options.loc ?? ['body'];
    this.#numberSource = options.numberSource;
  }

  string(field: string, rule?: TextRule, fallback?: string): string {
    const value = this.#get(field, fallback);
    return value === undefined ? '' : this.#text(field, value, rule);
  }

  nullableString(field: string, rule?: TextRule): string | null {
    const value = this.#get(field, null);
    return value === null ? null : this.#text(field, value, rule);
  }

  int(field: string, fallback?: number): number {
    return this.#lax(field, fallback, 0, (value) => laxInt(value, () => this.#numberSource?.(field)));
  }

  float(field: string, fallback?: number): number {
    return this.#lax(field, fallback, 0, laxFloat);
  }

  nullableFloat(field: string): number | null {
    return this.#get(field, null) === null ? null : this.float(field);
  }

  bool(field: string, fallback?: boolean): boolean {
    return this.#lax(field, fallback, false, laxBool);
  }

  dict(field: string, fallback?: JsonObject): JsonObject {
    const value = this.#get(field, fallback);
    if (value === undefined || isJsonObject(value)) return value ?? {};
    this.#fault(DICT_TYPE, field);
    return {};
  }

  nullableDict(field: string): JsonObject | null {
    return this.#get(field, null) === null ? null : this.dict(field);
  }

  list(field: string, fallback?: readonly unknown[]): readonly unknown[] {
    const value = this.#get(field, fallback);
    if (value === undefined || Array.isArray(value)) return value ?? [];
    this.#fault(LIST_TYPE, field);
    return [];
  }

  nullableList(field: string): readonly unknown[] | null {
    return this.#get(field, null) === null ? null : this.list(field);
  }

  /** Free-form objects; each element that is none is a fault of its own. */
  listOfDicts(field: string, fallback?: readonly JsonObject[]): readonly JsonObject[] {
    const list = this.list(field, fallback);
    list.forEach((element, index) => {
      if (!isJsonObject(element)) this.#fault(DICT_TYPE, field, index);
    });
    return list as readonly JsonObject[];
  }

  #get(field: string, fallback?: unknown): unknown {
    const value = Object.hasOwn(this.fields, field) ? this.fields[field] : undefined;
    if (value !== undefined) return value;
    if (fallback === undefined) this.#fault(MISSING, field);
    return fallback;
  }

  #text(field: string, value: unknown, rule?: TextRule): string {
    if (typeof value !== 'string') {
      this.#fault(STRING_TYPE, field);
      return '';
    }
    const problem = rule?.(value);
    if (problem) this.#fault(problem, field);
    return value;
  }

  #lax<Value>(
    field: string,
    fallback: Value | undefined,
    standIn: Value,
    check: (value: unknown) => Checked<Value>,
  ): Value {
    const value = this.#get(field, fallback);
    if (value === undefined) return standIn;
    const checked = check(value);
    if ('value' in checked) return checked.value;
    this.#fault(checked, field);
    return standIn;
  }

  #fault({ type, msg }: { readonly type: string; readonly msg: string }, ...path: readonly (string | number)[]): void {
    this.faults.push({ type, loc: [...this.#loc, ...path], msg });
  }
}
