import { Controller, Post, Req } from '@nestjs/common';
import { minimalInit, rawInit, useInitServers } from '../../../test/support/init-server.js';

describe('bodies of the init route', () => {
  const start = useInitServers();

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
    expect(large.json.detail[0]?.msg).toContain('1048576 bytes');
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
    const answer = await server.raw(rawInit(JSON.stringify(minimalInit())), { halfClose: true });
    expect(answer).toMatch(/^HTTP\/1.1 202 /);
  });

  it('LC-20: a client that leaves amid the body starts nothing', async () => {
    const server = await start();
    const body = JSON.stringify(minimalInit());
    await server.raw(rawInit(body).slice(0, -10), { halfClose: true }).catch(() => undefined);
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
    expect([csv.status, csv.json.detail[0]?.type]).toEqual([422, 'model_attributes_type']);
  });

  it('is asked for before the body is read: a large one is neither buffered nor waited for', async () => {
    const server = await start({ apiKeys: 'key' });
    const head = 'POST /v1/rollout/init HTTP/1.1\r\nHost: h\r\nContent-Length: 50000000\r\nConnection: close\r\n\r\n{';
    expect(await server.raw(head)).toMatch(/^HTTP\/1.1 401 /);
  });

  it('says so when a hook of the host has consumed the body', async () => {
    const server = await start({
      prepare: (app) => {
        app
          .getHttpAdapter()
          .getInstance()
          .addHook('onRequest', (request, _reply, done) => {
            request.raw.resume().on('end', done);
          });
      },
    });
    const answer = await server.init(minimalInit());
    expect([answer.status, answer.json.detail]).toEqual([
      400,
      expect.stringContaining('consumed by a hook or middleware'),
    ]);
  });

  it('says so when the host has parsed the body for another content type', async () => {
    const server = await start({
      prepare: (app) => {
        // Fastify keeps the content type from the first time that somebody asks for it.
        app
          .getHttpAdapter()
          .getInstance()
          .addHook('onRequest', (request, _reply, done) => done(void request.mediaType));
      },
    });
    const answer = await server.init(minimalInit());
    expect([answer.status, answer.json.detail]).toEqual([
      400,
      expect.stringContaining('consumed by a hook or middleware'),
    ]);
  });
});
