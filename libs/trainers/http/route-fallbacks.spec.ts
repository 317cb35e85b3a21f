import { Controller, Post, VersioningType } from '@nestjs/common';
import { type NestFastifyApplication } from '@nestjs/platform-fastify';
import { minimalInit, useInitServers } from '../../../test/support/init-server.js';
import { OsmosisNotFoundFilter } from './not-found.filter.js';

describe('around the routes', () => {
  const start = useInitServers();

  it.each([
    ['GET', '/v1/rollout/init', 'POST'],
    ['OPTIONS', '/v1/rollout/init', 'POST'],
    ['PUT', '/agents/calculator/v1/rollout/init', 'POST'],
    ['POST', '/health', 'GET, HEAD'],
    ['DELETE', '/platform/health', 'GET, HEAD'],
  ])('%s %s is 405 with Allow', async (method, path, allow) => {
    const server = await start({ apiKeys: 'key' });
    const headers = { 'content-type': 'text/xml' };
    const answer = await server.send({ method, path, headers, body: method === 'GET' ? undefined : '<x/>' });
    expect([answer.status, answer.text]).toEqual([405, '{"detail":"Method Not Allowed"}']);
    expect(answer.headers.allow).toBe(allow);
  });

  it('a trailing slash is sent to the path without it', async () => {
    const server = await start();
    const answer = await server.send({ path: '/v1/rollout/init/?a=b', headers: { host: 'h:81' }, body: '{}' });
    expect([answer.status, answer.text, answer.headers.location]).toEqual([307, '', 'http://h:81/v1/rollout/init?a=b']);
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
});
