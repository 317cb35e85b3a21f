import type { RolloutChoice } from '#rollout';
import type { ParsedBody } from '../http/body.js';
import { FieldReader } from '../http/field-checks.js';
import { InvalidRequestError, UnfitRequestError } from '../http/request-fault.js';
import { OSMOSIS_V03_DIALECT } from './dialect.js';

/**
 * The body of `POST /rollout/cancel` (spec 1.5): exactly one of `ids`, `prefix` and `all`. Stricter than the reference: an
 * empty prefix, which would match everything, is refused.
 *
 * @throws InvalidRequestError, UnfitRequestError for none or several
 */
export function readCancelRequest({ fields }: ParsedBody): RolloutChoice {
  const reader = new FieldReader(fields);
  const ids = reader.nullableList('ids');
  ids?.forEach((id, index) => {
    if (typeof id === 'string') return;
    reader.faults.push({ type: 'string_type', loc: ['body', 'ids', index], msg: 'Input should be a valid string' });
  });
  const prefix = reader.nullableString('prefix');
  const all = reader.bool('all', false);
  if (reader.faults.length > 0) throw new InvalidRequestError(reader.faults);
  if ([ids !== null, prefix !== null, all].filter(Boolean).length !== 1) {
    throw new UnfitRequestError('pass exactly one selector: ids, prefix, or all');
  }
  if (prefix === '') throw new UnfitRequestError('prefix must not be empty; pass all: true to cancel every rollout');
  return {
    dialect: OSMOSIS_V03_DIALECT,
    ids: (ids as readonly string[] | null) ?? undefined,
    prefix: prefix ?? undefined,
  };
}
