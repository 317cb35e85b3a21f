import { readJsonText } from '#domain';
import type { FaultPlace } from '../../support/vectors.js';
import type { WireAnswer } from '../support/wire-answer.js';
import type { BodyShape, InitCase } from './init-body.js';

/** What we answer where the peer answered otherwise, by rows of docs/compatibility.md. */
export interface Explained {
  readonly rows: readonly string[];
  readonly answer: WireAnswer;
}

/** A field of which we ask more than the peer. */
export interface StrictField {
  readonly name: string;
  /** The row by which it takes no control characters. */
  readonly row: string;
  /** Those around it do not count. */
  readonly trimmed: boolean;
  /** The row by which it takes no half of a surrogate pair, where the peer does. */
  readonly surrogates?: string;
}

const CONTROL = /[\u0000-\u001f\u007f-\u009f]/; // eslint-disable-line no-control-regex
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** A fault that only we find. */
interface StrictFault extends FaultPlace {
  readonly row: string;
}

/**
 * The answer that the named rows make of the peer's; no row when there is nothing to change.
 *
 * @param shown what the peer answers to the same bytes when it need not repeat them, and as `application/json` when they
 * came without a content type
 */
export function explain(
  given: InitCase,
  { peer, shown }: { readonly peer: WireAnswer; readonly shown: WireAnswer },
  { shape, strict }: { readonly shape: BodyShape; readonly strict: readonly StrictField[] },
): Explained {
  if (hasSurrogateBytes(given.body)) {
    const answer = { status: 400, detail: 'There was an error parsing the body' };
    return { rows: ['invalid-surrogate-bytes'], answer };
  }
  const rows: string[] = [];
  if (given.contentType === null && peer.status === 422) rows.push('no-content-type-accepted');
  if (peer.status === 500 && shown.status === 422) rows.push('unrenderable-422');
  const answer = rows.length > 0 ? shown : peer;
  const more = strictFaults(given, answer, strict);
  if (more.length === 0) return { rows, answer };
  const others = faultsOf(answer).filter(({ loc }) => !more.some((fault) => fault.loc[1] === loc[1]));
  const place = ({ loc }: FaultPlace): number => shape.all.indexOf(String(loc[1]));
  const faults = [...others, ...more].sort((left, right) => place(left) - place(right));
  const detail = faults.map(({ type, loc }) => ({ type, loc }));
  return { rows: [...rows, ...more.map(({ row }) => row)], answer: { status: 422, detail } };
}

function hasSurrogateBytes(body: Buffer): boolean {
  for (let at = body.indexOf(0xed); at >= 0; at = body.indexOf(0xed, at + 1)) {
    if ((body[at + 1] ?? 0) >= 0xa0) return true;
  }
  return false;
}

function strictFaults(given: InitCase, answer: WireAnswer, strict: readonly StrictField[]): StrictFault[] {
  const hasFields = answer.status === 202 || (answer.status === 422 && Array.isArray(answer.detail));
  const fields = hasFields ? fieldsOf(given.body) : null;
  if (!fields) return [];
  return strict.flatMap(({ name, row, trimmed, surrogates }) => {
    const value = fields[name];
    if (typeof value !== 'string') return [];
    const loc = ['body', name];
    if (surrogates && LONE_SURROGATE.test(value)) return [{ row: surrogates, type: 'string_unicode', loc }];
    const isFaulty = faultsOf(answer).some((fault) => fault.loc[1] === name);
    const hasControl = CONTROL.test(trimmed ? value.trim() : value);
    return hasControl && !isFaulty ? [{ row, type: 'value_error', loc }] : [];
  });
}

function faultsOf({ detail }: WireAnswer): readonly FaultPlace[] {
  return Array.isArray(detail) ? (detail as FaultPlace[]) : [];
}

function fieldsOf(body: Buffer): Readonly<Record<string, unknown>> | null {
  try {
    return readJsonText(body.toString(), { nonFinite: true }) as Readonly<Record<string, unknown>> | null;
  } catch {
    return null;
  }
}
