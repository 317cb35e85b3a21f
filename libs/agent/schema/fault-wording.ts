import { clip } from './input-path.js';

/** Of a list that is told to the model. */
export const LONGEST_LIST = 20;

/**
 * What a value must be, by the keyword that it broke; undefined for keywords better worded by ajv.
 *
 * @param schema the keyword's own value
 */
export function wording(keyword: string, schema: unknown): string | undefined {
  switch (keyword) {
    case 'type':
      return `must be ${[schema]
        .flat()
        .map((type) => withArticle(String(type)))
        .join(' or ')}`;
    case 'enum':
      return `must be one of ${list(schema)}`;
    case 'const':
      return `must be ${JSON.stringify(schema)}`;
    case 'not':
      return isEnum(schema) ? `must not be one of ${list(schema.enum)}` : undefined;
    case 'minimum':
      return `must be at least ${String(schema)}`;
    case 'maximum':
      return `must be at most ${String(schema)}`;
    case 'exclusiveMinimum':
      return `must be greater than ${String(schema)}`;
    case 'exclusiveMaximum':
      return `must be less than ${String(schema)}`;
    case 'multipleOf':
      return `must be a multiple of ${String(schema)}`;
    case 'minLength':
      return schema === 1 ? 'must not be empty' : `must have at least ${String(schema)} characters`;
    case 'maxLength':
      return `must have at most ${String(schema)} characters`;
    case 'pattern':
      return `must match the pattern ${String(schema)}`;
    case 'format':
      return `must be of the format ${String(schema)}`;
    case 'minItems':
      return `must have at least ${String(schema)} ${schema === 1 ? 'item' : 'items'}`;
    case 'maxItems':
      return `must have at most ${String(schema)} ${schema === 1 ? 'item' : 'items'}`;
    case 'uniqueItems':
      return 'must not have two equal items';
    default:
      return undefined;
  }
}

function withArticle(type: string): string {
  if (type === 'null') return type;
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function isEnum(schema: unknown): schema is { readonly enum: unknown } {
  return typeof schema === 'object' && schema !== null && 'enum' in schema;
}

function list(values: unknown): string {
  const texts = [values].flat().map((value) => clip(JSON.stringify(value)));
  const more = texts.length > LONGEST_LIST ? `, … (${texts.length} in all)` : '';
  return texts.slice(0, LONGEST_LIST).join(', ') + more;
}
