import type { FreeForm } from '../document.js';
import { isObject } from '../values.js';

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,6}))?)?(Z|[+-]\d{2}(?::?\d{2})?)?)?$/;

/** When a message says it came to be: the first of its fields that is a time (spec 0.3, 2.4). */
export function timestampOf(message: FreeForm): string | undefined {
  const extra = message['extra'];
  const candidates = [message['created_at'], message['timestamp'], message['completed_at']];
  if (isObject(extra)) candidates.push(extra['timestamp']);
  for (const candidate of candidates) {
    const time = isoTime(candidate);
    if (time !== null) return time;
  }
  return undefined;
}

/** Seconds since the epoch, or an ISO 8601 text, in the one form that documents have; null when it is neither. */
export function isoTime(value: unknown): string | null {
  if (typeof value === 'number') return timeOfMs(value * 1000);
  return typeof value === 'string' ? reformatted(value) : null;
}

/** @param ms since the epoch */
export function timeOfMs(ms: number): string | null {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1 || date.getUTCFullYear() > 9999) return null;
  return date.toISOString().replace(/(?:\.000)?Z$/, '+00:00');
}

/** A time without a zone stays one. */
function reformatted(text: string): string | null {
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction, zone = ''] = ISO.exec(text) ?? [];
  if (!year || !month || !day) return null;
  const whole = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
  // The 30th of February would be read as a day in March.
  const read = new Date(`${whole}Z`);
  if (Number.isNaN(read.getTime()) || read.toISOString() !== `${whole}.000Z`) return null;
  return whole + (fraction === undefined ? '' : `.${fraction.padEnd(6, '0')}`) + zoneOffset(zone);
}

function zoneOffset(zone: string): string {
  if (zone === 'Z') return '+00:00';
  if (zone === '') return '';
  const digits = zone.slice(1).replace(':', '').padEnd(4, '0');
  return `${zone.slice(0, 1)}${digits.slice(0, 2)}:${digits.slice(2)}`;
}
