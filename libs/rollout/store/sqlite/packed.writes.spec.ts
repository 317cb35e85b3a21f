import type { Write } from './journal.language.js';
import { packWrites, unpackWrites } from './packed.writes.js';

/** Every kind of write, no two values of a row the same. */
const WRITES: readonly Write[] = [
  [
    'accepted',
    {
      rolloutId: 'r',
      idempotencyKey: 'k',
      fingerprint: 'print',
      agent: 'calculator',
      dialect: 'osmosis-v0.2',
      request: '{}',
      apiKey: null,
      tools: '[]',
      acceptedAt: 1,
    },
  ],
  ['started', 'r', 2],
  ['conversed', 'r', 0, '[1]'],
  ['announced', { rolloutId: 'r', announcedAt: 3, url: 'http://t/ran', body: '{"ran":1}', outcome: '{"draft":1}' }],
  ['announcementEnded', 'r', 'delivered'],
  ['sealed', { rolloutId: 'r', sealedAt: 4, status: 'ERROR', summary: '{"s":1}', url: null, body: '{"b":1}' }],
  ['attemptFailed', 'r', { number: 1, at: 5, error: 'refused' }],
  ['ended', 'r', 'dead', 6],
];

describe('packed writes', () => {
  it('are the same on the other side, whatever is written and in whatever order', () => {
    expect(unpackWrites(structuredClone(packWrites(WRITES)))).toEqual(WRITES);
    const other = [...WRITES, ...WRITES].reverse();
    expect(unpackWrites(structuredClone(packWrites(other)))).toEqual(other);
    expect(unpackWrites(packWrites([]))).toEqual([]);
  });

  it('name no field of a row', () => {
    expect(JSON.stringify(packWrites(WRITES))).not.toMatch(/rolloutId|fingerprint|summary/);
  });
});
