import { OsmosisError } from '#domain';
import { minimalInit, rawInit, useInitServers } from '../../../test/support/init-server.js';

const KEY = 'server-key-0123456789';

describe('OsmosisV02Controller', () => {
  const start = useInitServers();

  describe('POST /v1/rollout/init', () => {
    it('hands the request to the engine and answers 202 with the tools as they are', async () => {
      const server = await start();
      server.engine.toolsJson = '[{"type":"function","function":{"name":"add"}}]';
      const answer = await server.init(
        minimalInit({ max_turns: '7', metadata: { ground_truth: '5' }, api_key: 'callback', idempotency_key: 'k' }),
      );
      expect(answer.status).toBe(202);
      expect(answer.headers['content-type']).toBe('application/json');
      expect(answer.text).toBe(`{"rollout_id":"r1","tools":${server.engine.toolsJson}}`);
      const { trainer, ...request } = server.engine.last;
      expect(request).toEqual({
        rolloutId: 'r1',
        agent: 'calculator',
        messages: [{ role: 'user', content: 'hi' }],
        completionParams: { temperature: 0.5 },
        toolServerUrl: null,
        maxTurns: 7,
        maxTokensTotal: 8192,
        metadata: { ground_truth: '5' },
        idempotencyKey: 'k',
      });
      expect(trainer).toMatchObject({ dialect: 'osmosis-v0.2', url: 'http://127.0.0.1:9' });
      expect(trainer.apiKey?.reveal()).toBe('callback');
    });

    it('serves any agent below /agents/:name', async () => {
      const server = await start({ agents: ['calculator', 'search engine'] });
      const answer = await server.send({
        path: '/agents/search%20engine/v1/rollout/init',
        body: JSON.stringify(minimalInit()),
      });
      expect(answer.status).toBe(202);
      expect(server.engine.last.agent).toBe('search engine');
    });

    it('answers 404 for an unknown agent, and when none is the default', async () => {
      const server = await start({ agents: ['a', 'b'] });
      const unknown = await server.send({ path: '/agents/c/v1/rollout/init', body: JSON.stringify(minimalInit()) });
      expect([unknown.status, unknown.json.detail]).toEqual([404, "Agent 'c' not found. Known agents: 'a', 'b'."]);
      expect((await server.init(minimalInit())).status).toBe(404);
      expect(server.engine.requests).toEqual([]);
    });

    it('never echoes what was sent', async () => {
      const server = await start();
      const answer = await server.init(
        minimalInit({ rollout_id: 5, api_key: 'SECRET-7f3a\u0000x', metadata: 'SECRET-7f3a' }),
      );
      expect(answer.status).toBe(422);
      expect(answer.json.detail.map((item: { loc: unknown }) => item.loc)).toEqual([
        ['body', 'rollout_id'],
        ['body', 'metadata'],
        ['body', 'api_key'],
      ]);
      expect(Object.keys(answer.json.detail[0] ?? {})).toEqual(['type', 'loc', 'msg']);
      expect(answer.text).not.toContain('SECRET');
    });

    it.each([
      { code: 'DUPLICATE_CONFLICT', details: {}, status: 409, headers: {} },
      { code: 'OVERLOADED', details: { retryAfterSeconds: 4.2 }, status: 429, headers: { 'retry-after': '5' } },
      { code: 'DRAINING', details: {}, status: 503, headers: { 'retry-after': '1' } },
    ] as const)('LC-03: answers what the engine throws: $code', async ({ code, details, status, headers }) => {
      const error = new OsmosisError(code, 'why and what to do', { details });
      const server = await start();
      server.engine.failure = error;
      const answer = await server.init(minimalInit());
      expect([answer.status, answer.json]).toEqual([status, { detail: error.message }]);
      expect(answer.headers).toMatchObject(headers);
    });

    it('keeps the inside of an unknown error to the log', async () => {
      const server = await start();
      server.engine.failure = new Error('connect postgres://user:pw@db');
      const answer = await server.init(minimalInit());
      expect([answer.status, answer.text]).toEqual([500, '{"detail":"Internal Server Error"}']);
    });
  });

  describe('the API key', () => {
    it('AU-01: accepts the bearer in any case and the bare key, and asks the engine for nothing else', async () => {
      const server = await start({ apiKeys: KEY });
      const body = JSON.stringify(minimalInit());
      const statusOf = async (authorization: string): Promise<string> => {
        const text = await server.raw(rawInit(body, `Authorization: ${authorization}\r\n`));
        return text.slice(9, 12);
      };
      for (const good of [`Bearer ${KEY}`, `bearer ${KEY}`, `BEARER  ${KEY}`, `Bearer\t${KEY}`, KEY]) {
        expect([good, await statusOf(good)]).toEqual([good, '202']);
      }
      const accepted = server.engine.requests.length;
      for (const bad of [
        `Basic ${KEY}`,
        'Bearer',
        `Bearer ${KEY} extra`,
        '',
        `Bearer ${KEY}x`,
        'Bearer é',
        'Bearer \xff',
      ]) {
        expect([bad, await statusOf(bad)]).toEqual([bad, '401']);
      }
      expect(await statusOf(`Bearer wrong\r\nAuthorization: Bearer ${KEY}`)).toBe('401');
      expect(server.engine.requests).toHaveLength(accepted);
    });

    it('AU-01: 401 has the reference body and names the scheme', async () => {
      const server = await start({ apiKeys: [KEY, 'next-key'] });
      const answer = await server.init({ broken: true });
      expect([answer.status, answer.text]).toEqual([401, '{"detail":"Invalid or missing API key"}']);
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect((await server.init(minimalInit(), { authorization: 'Bearer next-key' })).status).toBe(202);
    });
  });

  describe('health', () => {
    const HEALTH =
      '{"status":"healthy","agent_loop":"calculator","active_rollouts":2,"completed_rollouts":3,' +
      '"concurrency":{"max_concurrent":4,"queued":1,"running":1}}';

    it('AU-07: GET /health is open and tells the counters; HEAD works too', async () => {
      const server = await start({ apiKeys: KEY });
      const answer = await server.send({ method: 'GET', path: '/health' });
      expect([answer.status, answer.text, answer.headers['content-type']]).toEqual([200, HEALTH, 'application/json']);
      expect(await server.send({ method: 'HEAD', path: '/health' })).toMatchObject({ status: 200, text: '' });
    });

    it('names all agents when none is the default', async () => {
      const server = await start({ agents: ['a', 'b'] });
      expect((await server.send({ method: 'GET', path: '/health' })).json.agent_loop).toBe('a, b');
    });

    it('GET /platform/health wants the key, and is not there without one', async () => {
      const open = await start();
      const none = await open.send({ method: 'GET', path: '/platform/health' });
      expect([none.status, none.text]).toEqual([404, '{"detail":"Not found"}']);
      const server = await start({ apiKeys: KEY });
      const get = (authorization?: string) =>
        server.send({ method: 'GET', path: '/platform/health', headers: authorization ? { authorization } : {} });
      expect((await get()).status).toBe(401);
      expect((await get('Bearer wrong')).status).toBe(401);
      expect((await get(KEY)).text).toBe(HEALTH);
      expect((await get(`Bearer ${KEY}`)).text).toBe(HEALTH);
    });
  });
});
