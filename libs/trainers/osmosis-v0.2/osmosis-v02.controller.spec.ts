import { setTimeout as delay } from 'node:timers/promises';
import {
  Controller,
  Get,
  Post,
  Req,
  VersioningType,
  type CanActivate,
  type ExecutionContext,
  type NestInterceptor,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { OsmosisError } from '#domain';
import { TrainerRegistry } from '#rollout';
import { map } from 'rxjs';
import { InitServer, initModule, minimalInit, type InitServerSetup } from '../../../test/support/init-server.js';
import { isOsmosisContext } from './host-exemption.js';
import { OsmosisNotFoundFilter } from './not-found.filter.js';
import { OsmosisV02Trainer } from './osmosis-v02.trainer.js';

const KEY = 'server-key-0123456789';

describe('the routes of osmosis-v0.2', () => {
  const servers: InitServer[] = [];

  async function start(setup: InitServerSetup = {}): Promise<InitServer> {
    const server = await InitServer.start(setup);
    servers.push(server);
    return server;
  }

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

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
      expect(Object.keys(answer.json.detail[0])).toEqual(['type', 'loc', 'msg']);
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

    it('NT-13: takes 400 kB and 2 MB, answers 413 above the limit, and lives on', async () => {
      const server = await start();
      for (const size of [400_000, 2_000_000]) {
        const answer = await server.init(minimalInit({ messages: [{ role: 'user', content: 'x'.repeat(size) }] }));
        expect(answer.status).toBe(202);
      }
      const strict = await start({ bodyLimitBytes: 100_000 });
      const body = JSON.stringify(minimalInit({ messages: [{ content: 'x'.repeat(5_000_000) }] }));
      for (const headers of [{ 'content-length': body.length }, { 'transfer-encoding': 'chunked' }]) {
        const answer = await strict.send({ headers, body });
        expect(answer.status).toBe(413);
        expect(answer.json.detail).toContain('100000 bytes');
      }
      expect((await strict.init(minimalInit())).status).toBe(202);
    });

    it('LC-23: metadata above its limit and nesting without end are 4xx, and the server lives on', async () => {
      const server = await start();
      const large = await server.init(minimalInit({ metadata: { d: 'é'.repeat(600_000) } }));
      expect(large.status).toBe(422);
      expect(large.json.detail[0].msg).toContain('1048576 bytes');
      const exact = await server.init(minimalInit({ metadata: { d: 'x'.repeat(1_048_576 - '{"d": ""}'.length) } }));
      expect(exact.status).toBe(202);
      const nested = JSON.stringify(minimalInit()).replace(
        /}$/,
        `,"metadata":{"d":${'['.repeat(5000)}${']'.repeat(5000)}}}`,
      );
      const deep = await server.send({ body: nested });
      expect([deep.status, deep.text]).toEqual([400, '{"detail":"There was an error parsing the body"}']);
      expect((await server.send({ method: 'GET', path: '/health' })).status).toBe(200);
    });

    it('LC-20: a client that half-closes after the body still reads its answer', async () => {
      const server = await start();
      const answer = await server.raw(rawInit(server.port, JSON.stringify(minimalInit())), { halfClose: true });
      expect(answer).toMatch(/^HTTP\/1.1 202 /);
    });

    it('LC-20: a client that leaves amid the body starts nothing', async () => {
      const server = await start();
      const body = JSON.stringify(minimalInit());
      await server.raw(rawInit(server.port, body).slice(0, -10), { halfClose: true }).catch(() => undefined);
      await delay(50);
      expect(server.engine.requests).toEqual([]);
      expect((await server.init(minimalInit())).status).toBe(202);
    });

    it('reads bodies of any content type and leaves the parsers of the host alone', async () => {
      @Controller('host')
      class HostController {
        @Post()
        echo(@Req() request: { body: unknown; headers: Record<string, string> }): unknown {
          return { body: request.body };
        }
      }
      const server = await start({ module: { controllers: [HostController] } });
      const body = '{"a":1}';
      const call = { path: '/host', body };
      expect((await server.send({ ...call, headers: { 'content-type': 'application/json' } })).json).toEqual({
        body: { a: 1 },
      });
      expect((await server.send({ ...call, headers: { 'content-type': 'text/csv' } })).status).toBe(415);
      const pretender = await server.send({
        ...call,
        headers: { 'content-type': 'application/vnd.nestjs-osmosis.raw' },
      });
      expect(pretender.status).toBe(415);
      const csv = await server.send({ body, headers: { 'content-type': 'text/csv' } });
      expect([csv.status, csv.json.detail[0].type]).toEqual([422, 'model_attributes_type']);
    });
  });

  describe('the API key', () => {
    it('AU-01: accepts the bearer in any case and the bare key, and asks the engine for nothing else', async () => {
      const server = await start({ apiKeys: KEY });
      const body = JSON.stringify(minimalInit());
      const statusOf = async (authorization: string): Promise<string> => {
        const text = await server.raw(rawInit(server.port, body, `Authorization: ${authorization}\r\n`));
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

    it('is asked for before the body is read: a large one is neither buffered nor waited for', async () => {
      const server = await start({ apiKeys: KEY });
      const head =
        'POST /v1/rollout/init HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\nConnection: close\r\n\r\n{';
      expect(await server.raw(head)).toMatch(/^HTTP\/1.1 401 /);
    });
  });

  describe('health', () => {
    const HEALTH = '{"status":"healthy","agent_loop":"calculator","active_rollouts":2,"completed_rollouts":3}';

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

  describe('around the routes', () => {
    it.each([
      ['GET', '/v1/rollout/init', 'POST'],
      ['OPTIONS', '/v1/rollout/init', 'POST'],
      ['PUT', '/agents/calculator/v1/rollout/init', 'POST'],
      ['POST', '/health', 'GET, HEAD'],
      ['DELETE', '/platform/health', 'GET, HEAD'],
    ])('%s %s is 405 with Allow', async (method, path, allow) => {
      const server = await start({ apiKeys: KEY });
      const headers = { 'content-type': 'text/xml' };
      const answer = await server.send({ method, path, headers, body: method === 'GET' ? undefined : '<x/>' });
      expect([answer.status, answer.text]).toEqual([405, '{"detail":"Method Not Allowed"}']);
      expect(answer.headers.allow).toBe(allow);
    });

    it('a trailing slash is sent to the path without it', async () => {
      const server = await start();
      const answer = await server.send({ path: '/v1/rollout/init/?a=b', headers: { host: 'h:81' }, body: '{}' });
      expect([answer.status, answer.text, answer.headers.location]).toEqual([
        307,
        '',
        'http://h:81/v1/rollout/init?a=b',
      ]);
      const agent = await server.send({ path: '/agents/a%2Fb/v1/rollout/init/', headers: { host: 'h' } });
      expect(agent.headers.location).toBe('http://h/agents/a%2Fb/v1/rollout/init');
    });

    it('unknown paths are 404 in the dialect’s shape where the server opts in', async () => {
      const server = await start({ prepare: (app) => app.useGlobalFilters(new OsmosisNotFoundFilter()) });
      const answer = await server.send({ method: 'GET', path: '/nowhere' });
      expect([answer.status, answer.text]).toEqual([404, '{"detail":"Not Found"}']);
    });

    it('routes of the host on the same paths go first', async () => {
      @Controller('health')
      class HostController {
        @Post()
        check(): string {
          return 'host';
        }
      }
      const server = await start({ module: { controllers: [HostController] } });
      expect((await server.send({ path: '/health' })).text).toBe('host');
      expect((await server.send({ method: 'GET', path: '/health' })).status).toBe(200);
    });
  });

  describe('NE-07: in a host with a prefix and versions', () => {
    const versioned = (app: NestFastifyApplication): void => {
      app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
    };

    it.each([
      ['prefix', '/api', (app: NestFastifyApplication) => void app.setGlobalPrefix('api')],
      ['URI versions', '', versioned],
      [
        'both',
        '/api',
        (app: NestFastifyApplication) => {
          app.setGlobalPrefix('api');
          versioned(app);
        },
      ],
    ])('%s: the routes move by the prefix only', async (_name, prefix, prepare) => {
      const server = await start({ prepare });
      const body = JSON.stringify(minimalInit());
      expect((await server.send({ path: `${prefix}/v1/rollout/init`, body })).status).toBe(202);
      expect((await server.send({ path: `${prefix}/agents/calculator/v1/rollout/init`, body })).status).toBe(202);
      expect((await server.send({ method: 'GET', path: `${prefix}/health` })).status).toBe(200);
      expect((await server.send({ method: 'PUT', path: `${prefix}/health` })).status).toBe(405);
      expect((await server.send({ path: `${prefix}/v1/v1/rollout/init`, body })).status).toBe(404);
      expect((await server.send({ path: `${prefix}/v1/rollout/init/`, body })).status).toBe(307);
    });
  });

  it('NE-13: a host exempts our routes from its guard, interceptor and filter; our key still counts', async () => {
    const guard: CanActivate = { canActivate: (context: ExecutionContext) => isOsmosisContext(context) };
    const interceptor: NestInterceptor = {
      intercept: (context, next) =>
        isOsmosisContext(context) ? next.handle() : next.handle().pipe(map((data: unknown) => ({ data }))),
    };
    @Controller('host')
    class HostController {
      @Get()
      get(): string {
        return 'host';
      }
    }
    const seen: boolean[] = [];
    const filter = {
      catch(_error: unknown, host: ExecutionContext) {
        seen.push(isOsmosisContext(host));
        host
          .switchToHttp()
          .getResponse<{ code(status: number): { send(body: string): void } }>()
          .code(418)
          .send('teapot');
      },
    };
    const server = await start({
      apiKeys: KEY,
      module: {
        controllers: [HostController],
        providers: [
          { provide: APP_GUARD, useValue: guard },
          { provide: APP_INTERCEPTOR, useValue: interceptor },
          { provide: APP_FILTER, useValue: filter },
        ],
      },
    });
    const answer = await server.init(minimalInit(), { authorization: KEY });
    expect([answer.status, answer.text]).toEqual([202, '{"rollout_id":"r1","tools":[]}']);
    expect((await server.init(minimalInit())).status).toBe(401);
    expect((await server.send({ method: 'GET', path: '/host' })).status).toBe(418);
    expect(seen).toEqual([false]);
  });

  it('tells how to mend it when the application runs on another adapter', async () => {
    class OtherAdapter extends FastifyAdapter {
      override getType(): string {
        return 'express';
      }
    }
    const server = start({ adapter: new OtherAdapter() });
    await expect(server).rejects.toThrow(/uses 'express'.*new FastifyAdapter\(\)/);
  });

  it('starts nothing in an application without HTTP', async () => {
    const context = await NestFactory.createApplicationContext(initModule({}), { logger: false });
    expect(context.get(TrainerRegistry).get('osmosis-v0.2')).toBeInstanceOf(OsmosisV02Trainer);
    await context.close();
  });
});

function rawInit(port: number, body: string, extra = ''): string {
  const head = `POST /v1/rollout/init HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n${extra}`;
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
