import { ToolArgumentError } from '#domain';
import { HELPERS } from './support/helpers.js';
import { readVectors, type HelperVector } from './support/vectors.js';

/** A row of docs/compatibility.md, and what we return instead of what was recorded. */
interface Difference {
  readonly row: string;
  readonly helper: string;
  readonly applies: (vector: HelperVector) => boolean;
  readonly returns: unknown;
}

const DIFFERENCES: readonly Difference[] = [
  {
    row: 'integral-floats',
    helper: 'normalizeStop',
    applies: ({ returns }) => JSON.stringify(returns).includes('1.0'),
    returns: ['None', 'True', '1'],
  },
  {
    row: 'negative-zero',
    helper: 'parseToolArguments',
    applies: (vector) => vector.in === '{"a":-0}',
    returns: { a: -0 },
  },
  {
    row: 'big-integers',
    helper: 'parseToolArguments',
    applies: (vector) => vector.in === '{"a": 12345678901234567890}',
    returns: { a: Number('12345678901234567890') },
  },
];

const calls = Object.entries(readVectors('osmosis-0.2-helpers.json')).flatMap(([helper, vectors]) =>
  vectors.map((vector) => [helper, JSON.stringify(vector.in), vector] as const),
);

describe('the helpers answer as those of the reference SDK', () => {
  const counts = new Map<string, number>();

  it.each(calls)('%s(%s)', (helper, _input, vector) => {
    const call = (): unknown => HELPERS[helper]?.(vector.in);
    if (vector.throws !== undefined) {
      const error = thrownBy(call);
      expect(error).toBeInstanceOf(ToolArgumentError);
      expect(error).toMatchObject({ name: vector.throws });
      expect((error as Error).message.startsWith(vector.message_starts ?? '')).toBe(true);
      return;
    }
    const difference = DIFFERENCES.find((candidate) => candidate.helper === helper && candidate.applies(vector));
    if (difference) counts.set(difference.row, (counts.get(difference.row) ?? 0) + 1);
    expect(call()).toEqual(difference ? difference.returns : vector.returns);
  });

  it('differs in the documented rows only', () => {
    expect(calls).toHaveLength(146);
    expect(Object.fromEntries(counts)).toEqual({ 'integral-floats': 1, 'negative-zero': 1, 'big-integers': 1 });
  });
});

function thrownBy(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}
