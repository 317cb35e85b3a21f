import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { OsmosisNotFoundFilter } from '#trainers';
import { InitServer } from './support/init-server.js';

/** What the reference server answered to requests of all kinds, recorded over loopback. */
interface Vector {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly raw?: string;
  readonly status: number;
  readonly detail?: string | readonly { readonly type: string; readonly loc: readonly (string | number)[] }[] | null;
  readonly body?: unknown;
}

/** Rows of docs/compatibility.md that change the answer to a recorded request, and what we answer instead. */
interface Difference {
  readonly row: string;
  readonly applies: (vector: Vector) => boolean;
  readonly status: number;
  readonly types?: readonly string[];
  readonly body?: unknown;
}

const DIFFERENCES: readonly Difference[] = [
  {
    row: 'nan-literal-is-422',
    applies: ({ status }) => status === 500,
    status: 422,
    types: ['value_error'],
  },
  { row: 'empty-prefix-refused', applies: ({ name }) => name === 'cancel prefix empty', status: 422 },
  {
    row: 'dispositions-of-all-ids',
    applies: ({ name }) => name === 'cancel ids',
    status: 200,
    body: { dispositions: { x: 'not_found' } },
  },
  {
    row: 'one-health-body',
    applies: ({ name }) => name === 'health',
    status: 200,
    body: {
      status: 'healthy',
      agent_loop: 'calculator',
      active_rollouts: 2,
      completed_rollouts: 3,
      concurrency: { max_concurrent: 4, queued: 1, running: 1 },
    },
  },
];

const vectors = JSON.parse(readFileSync(join(__dirname, 'vectors/osmosis-0.3-rollout.json'), 'utf8')) as Vector[];

describe('the routes of dialect 0.3 answer as the reference server', () => {
  let server: InitServer;
  const counts = new Map<string, number>();

  beforeAll(async () => {
    server = await InitServer.start({ prepare: (app) => void app.useGlobalFilters(new OsmosisNotFoundFilter()) });
  });

  afterAll(() => server.close());

  it.each(vectors.map((vector, index) => [`${index} ${vector.name}`, vector] as const))('%s', async (_name, vector) => {
    const { method, path, headers, raw } = vector;
    const answer = await server.send({ method, path, headers, body: raw });
    const difference = DIFFERENCES.find(({ applies }) => applies(vector));
    const { status, types, body } = difference ?? { ...vector, types: undefined };
    if (difference) counts.set(difference.row, (counts.get(difference.row) ?? 0) + 1);
    expect(answer.status).toBe(status);
    if (types) expect(answer.json.detail.map(({ type }) => type)).toEqual(types);
    if (status === 200) expect(answer.json).toEqual(body);
    if (difference) return;
    if (status === 202) expect(answer.text).toBe('{}');
    else if (Array.isArray(vector.detail)) expect(answer.json.detail.map(typeAndLoc)).toEqual(vector.detail);
    else if (status >= 400) expect(answer.json).toEqual({ detail: vector.detail });
  });

  it('differs in the documented rows only', () => {
    expect(vectors).toHaveLength(191);
    expect(Object.fromEntries(counts)).toEqual({
      'nan-literal-is-422': 1,
      'empty-prefix-refused': 1,
      'dispositions-of-all-ids': 1,
      'one-health-body': 1,
    });
  });
});

function typeAndLoc({ type, loc }: { type: string; loc: unknown }): { type: string; loc: unknown } {
  return { type, loc };
}
