import type { AcceptedRow, AnnouncedRow, SealedRow } from '../rollout.store.js';
import type { Write } from './journal.language.js';

/** The writes of a batch as they cross to the thread: of rows only the values, without their names. */
export type PackedWrites = readonly unknown[];

/** One list of values is copied to another thread in little more than half the time that objects take. */
export function packWrites(writes: readonly Write[]): PackedWrites {
  const packed: unknown[] = [];
  for (const write of writes) {
    switch (write[0]) {
      case 'accepted': {
        const row = write[1];
        packed.push('accepted', row.rolloutId, row.idempotencyKey, row.fingerprint, row.agent, row.dialect);
        packed.push(row.request, row.apiKey, row.tools, row.acceptedAt);
        break;
      }
      case 'announced': {
        const row = write[1];
        packed.push('announced', row.rolloutId, row.announcedAt, row.url, row.body, row.outcome);
        break;
      }
      case 'sealed': {
        const row = write[1];
        packed.push('sealed', row.rolloutId, row.sealedAt, row.status, row.summary, row.url, row.body);
        break;
      }
      default:
        packed.push('other', write);
    }
  }
  return packed;
}

export function unpackWrites(packed: PackedWrites): Write[] {
  const writes: Write[] = [];
  let at = 0;
  // Only `packWrites` makes such lists: each value is what it has put there.
  const next = <Value>(): Value => packed[at++] as Value;
  while (at < packed.length) {
    const kind = next<'accepted' | 'announced' | 'sealed' | 'other'>();
    if (kind === 'accepted') writes.push([kind, acceptedRow(next)]);
    else if (kind === 'announced') writes.push([kind, announcedRow(next)]);
    else if (kind === 'sealed') writes.push([kind, sealedRow(next)]);
    else writes.push(next());
  }
  return writes;
}

type Next = <Value>() => Value;

function acceptedRow(next: Next): AcceptedRow {
  return {
    rolloutId: next(),
    idempotencyKey: next(),
    fingerprint: next(),
    agent: next(),
    dialect: next(),
    request: next(),
    apiKey: next(),
    tools: next(),
    acceptedAt: next(),
  };
}

function announcedRow(next: Next): AnnouncedRow {
  return { rolloutId: next(), announcedAt: next(), url: next(), body: next(), outcome: next() };
}

function sealedRow(next: Next): SealedRow {
  return { rolloutId: next(), sealedAt: next(), status: next(), summary: next(), url: next(), body: next() };
}
