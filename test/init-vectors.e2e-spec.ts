import { InitServer } from './support/init-server.js';
import { readVectors, vectorBody, type InitVector } from './support/vectors.js';

/** Rows of docs/compatibility.md that change the answer to a recorded request, and what we answer instead. */
interface Difference {
  readonly row: string;
  readonly applies: (vector: InitVector) => boolean;
  readonly status: number;
  readonly types?: readonly string[];
}

const DIFFERENCES: readonly Difference[] = [
  {
    row: 'control-characters-in-ids',
    applies: ({ name, status }) => name === 'rollout_id ctrl' && status === 202,
    status: 422,
    types: ['value_error'],
  },
  {
    row: 'no-content-type-accepted',
    applies: ({ headers }) => headers['content-type'] === undefined,
    status: 202,
  },
];

const vectors = readVectors('osmosis-0.2-init.json');

describe('POST /v1/rollout/init answers as the reference server', () => {
  let server: InitServer;
  const counts = new Map<string, number>();

  beforeAll(async () => {
    server = await InitServer.start({ apiKeys: 'server-key-0123456789' });
  });

  afterAll(() => server.close());

  it.each(vectors.map((vector, index) => [`${index} ${vector.name}`, vector] as const))('%s', async (_name, vector) => {
    const answer = await server.send({ headers: vector.headers, body: vectorBody(vector) });
    const difference = DIFFERENCES.find(({ applies }) => applies(vector));
    if (difference) {
      counts.set(difference.row, (counts.get(difference.row) ?? 0) + 1);
      expect(answer.status).toBe(difference.status);
      if (difference.types)
        expect(answer.json.detail.map((item: { type: string }) => item.type)).toEqual(difference.types);
      return;
    }
    expect(answer.status).toBe(vector.status);
    if (vector.status === 202) {
      expect(answer.json).toEqual({ rollout_id: server.engine.last.rolloutId, tools: [] });
    } else if (Array.isArray(vector.detail)) {
      expect(answer.json.detail.map(typeAndLoc)).toEqual(vector.detail);
    } else {
      expect(answer.json).toEqual({ detail: vector.detail });
    }
  });

  it('differs in the documented rows only', () => {
    expect(vectors).toHaveLength(252);
    expect(Object.fromEntries(counts)).toEqual({ 'control-characters-in-ids': 1, 'no-content-type-accepted': 1 });
  });
});

function typeAndLoc({ type, loc }: { type: string; loc: unknown }): { type: string; loc: unknown } {
  return { type, loc };
}
