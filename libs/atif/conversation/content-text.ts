import { pythonUnicodeJson } from '#domain';
import { archivable, isObject } from '../values.js';

/**
 * The content of a message as one text (spec 0.3, 2.4): a string as it is, null as `''`, text parts joined by line breaks,
 * anything else as its JSON text.
 */
export function contentText(content: unknown): string {
  if (content === null || content === undefined) return '';
  if (typeof content === 'string') return content;
  return textOfParts(content) ?? jsonText(content);
}

function textOfParts(content: unknown): string | null {
  if (!Array.isArray(content)) return null;
  const parts = content.filter(isObject);
  if (parts.length === 0 || !parts.every(({ type, text }) => type === 'text' && typeof text === 'string')) return null;
  return parts.map(({ text }) => text as string).join('\n');
}

/** As Python's `json.dumps` writes it, non-ASCII kept. */
export function jsonText(value: unknown): string {
  const clean = archivable(value);
  return clean === undefined ? '' : pythonUnicodeJson(clean);
}

/** A name or an id, whatever it is given as; null when there is none (spec 0.3, 2.4: "stringified"). */
export function nameText(value: unknown): string | null {
  if (value === undefined || value === null || value === '' || value === 0 || value === false) return null;
  return typeof value === 'string' ? value : jsonText(value);
}
