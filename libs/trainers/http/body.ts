import { JsonDepthError, JsonSyntaxError, OsmosisError, readJsonText } from '#domain';
import { decodeJsonBytes } from './body-encoding.js';
import { isJsonObject, type JsonObject } from './field-checks.js';
import { isNestedTooDeep } from './json-depth.js';
import { JSON_TYPE } from './json-reply.js';
import { InvalidRequestError } from './request-fault.js';
import { codePointLength } from './wire-text.js';

/** A request body that is a JSON object. */
export interface ParsedBody {
  readonly fields: JsonObject;
  /** The JSON text, for the few questions that the values cannot answer. */
  readonly text: string;
  /** Size on the wire. */
  readonly byteLength: number;
}

/**
 * The bytes of a request body as a JSON object, by the rules of spec 1.7: `application/json`, any `application/*+json`
 * and a missing content type are JSON.
 *
 * @throws InvalidRequestError (422) for an empty body, broken JSON, or JSON that is no object
 * @throws OsmosisError `BODY_UNREADABLE` (400) for undecodable bytes and for nesting that is too deep
 */
export function parseBody(raw: Buffer, contentType: string | undefined): ParsedBody {
  if (raw.length === 0) throw missingBody();
  if (!isJsonType(contentType)) throw notAnObject();
  const text = decodeJsonBytes(raw);
  if (text === null) throw unreadable('the bytes are not valid UTF-8, UTF-16 or UTF-32');
  const value = parseJson(text);
  if (value === null) throw missingBody();
  if (!isJsonObject(value)) throw notAnObject();
  return { fields: value, text, byteLength: raw.length };
}

function isJsonType(contentType: string | undefined): boolean {
  if (!contentType || contentType === JSON_TYPE) return true;
  const essence = (contentType.split(';', 1)[0] ?? '').trim().toLowerCase();
  return essence === JSON_TYPE || /^application\/[^/]*\+json$/.test(essence);
}

function parseJson(text: string): unknown {
  if (isNestedTooDeep(text)) throw unreadable('the JSON is nested too deep');
  try {
    return JSON.parse(text);
  } catch {
    return parseSlowly(text);
  }
}

/** Takes the literals NaN and Infinity, which Python writes, and says where broken JSON is broken. */
function parseSlowly(text: string): unknown {
  try {
    return readJsonText(text, { nonFinite: true });
  } catch (error) {
    if (error instanceof JsonSyntaxError) {
      const loc = ['body', codePointLength(text, error.offset)];
      throw new InvalidRequestError([{ type: 'json_invalid', loc, msg: 'JSON decode error' }]);
    }
    if (error instanceof JsonDepthError) throw unreadable('the JSON is nested too deep');
    throw error;
  }
}

function missingBody(): InvalidRequestError {
  return new InvalidRequestError([{ type: 'missing', loc: ['body'], msg: 'Field required' }]);
}

function notAnObject(): InvalidRequestError {
  const msg = 'Input should be a valid dictionary or object to extract fields from';
  return new InvalidRequestError([{ type: 'model_attributes_type', loc: ['body'], msg }]);
}

/** The message is the reference's, because callers match it; the reason stays in the details. */
function unreadable(reason: string): OsmosisError {
  return new OsmosisError('BODY_UNREADABLE', 'There was an error parsing the body', { details: { reason } });
}
