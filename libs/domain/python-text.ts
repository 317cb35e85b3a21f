/**
 * Text that models were trained to see: tool results look as Python's `json.dumps` and `str` write them, because the
 * reference server is written in Python and the content of a tool message is model-visible.
 */

/** A number as Python prints it: `1e+16`, `1e-07`, `nan`, `inf`. An integral number has no fraction (42, not 42.0). */
export function pythonNumber(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  if (Number.isSafeInteger(value)) return String(value);
  const magnitude = Math.abs(value);
  if (magnitude < 1e16 && magnitude >= 1e-4) return String(value);
  const [mantissa, exponent = '0'] = value.toExponential().split('e') as [string, string?];
  const sign = exponent.startsWith('-') ? '-' : '+';
  return `${mantissa}e${sign}${exponent.replace(/^[-+]/, '').padStart(2, '0')}`;
}

/** A JSON string literal with every character outside ASCII escaped. */
export function pythonString(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Type name as Python would say it, for error texts that trainers and models know. */
export function pythonTypeName(value: unknown, sourceText = ''): string {
  if (value === null || value === undefined) return 'NoneType';
  if (Array.isArray(value)) return 'list';
  switch (typeof value) {
    case 'string':
      return 'str';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return Number.isInteger(value) && !/[.eE]/.test(sourceText) ? 'int' : 'float';
    case 'object':
      return 'dict';
    default:
      return typeof value;
  }
}

/**
 * JSON text with `", "` and `": "` between the parts and non-ASCII escaped. Objects with a `toJSON` (dates) are taken at
 * their word; fields that are undefined are left out.
 *
 * @throws TypeError naming the type that JSON has no form for (Map, Set, binary data, functions, symbols), or a cycle
 */
export function pythonJson(value: unknown): string {
  return write(value, pythonString, new Set());
}

/** The same with non-ASCII kept, as Python's `ensure_ascii=False` does. */
export function pythonUnicodeJson(value: unknown): string {
  return write(value, JSON.stringify, new Set());
}

function write(value: unknown, literal: (text: string) => string, parents: Set<object>): string {
  switch (typeof value) {
    case 'string':
      return literal(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'bigint':
      return value.toString();
    case 'number':
      return nonFiniteLiteral(value) ?? pythonNumber(value);
    case 'undefined':
      return 'null';
    case 'object':
      return value === null ? 'null' : writeObject(value, literal, parents);
    default:
      throw new TypeError(`a ${typeof value} has no JSON form`);
  }
}

function nonFiniteLiteral(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  if (value === Infinity) return 'Infinity';
  return value === -Infinity ? '-Infinity' : undefined;
}

function writeObject(value: object, literal: (text: string) => string, parents: Set<object>): string {
  if (parents.has(value)) throw new TypeError('the value contains itself');
  if (value instanceof Map || value instanceof Set || ArrayBuffer.isView(value) || value instanceof ArrayBuffer) {
    throw new TypeError(`a ${value.constructor.name} has no JSON form`);
  }
  if (value instanceof Number || value instanceof String || value instanceof Boolean) {
    return write(value.valueOf(), literal, parents);
  }
  parents.add(value);
  try {
    if ('toJSON' in value && typeof value.toJSON === 'function') {
      return write((value.toJSON as () => unknown)(), literal, parents);
    }
    // Array.from also visits the holes of a sparse array.
    if (Array.isArray(value)) {
      return `[${Array.from(value, (element) => write(element, literal, parents)).join(', ')}]`;
    }
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    return `{${fields.map(([key, field]) => `${literal(key)}: ${write(field, literal, parents)}`).join(', ')}}`;
  } finally {
    parents.delete(value);
  }
}
