import { jsonSafe } from '#domain';
import type { FreeForm } from './document.js';

export function isObject(value: unknown): value is FreeForm {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as a document can hold it, without what JSON has no form for. Undefined when nothing is left. */
export function archivable(value: unknown): unknown {
  return jsonSafe(value).value;
}

/** A free-form object; undefined for anything else. */
export function archivableObject(value: unknown): FreeForm | undefined {
  const clean = archivable(value);
  return isObject(clean) ? clean : undefined;
}

/** The fields that have a value, so that a document has no field without one. */
export function present<Fields extends object>(fields: Fields): Fields {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as Fields;
}

/** The same, or undefined when no field has a value. */
export function presentOrNone<Fields extends object>(fields: Fields): Fields | undefined {
  const kept = present(fields);
  return Object.keys(kept).length > 0 ? kept : undefined;
}
