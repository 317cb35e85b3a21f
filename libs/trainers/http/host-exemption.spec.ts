import { Controller, Get, type CanActivate, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { map } from 'rxjs';
import { minimalInit, useInitServers } from '../../../test/support/init-server.js';
import { isOsmosisContext } from './host-exemption.js';

const KEY = 'server-key-0123456789';

describe('isOsmosisContext', () => {
  const start = useInitServers();

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

  it('a refusal of a host that exempts nothing has the dialect’s shape', async () => {
    const guard: CanActivate = { canActivate: () => false };
    const server = await start({ module: { providers: [{ provide: APP_GUARD, useValue: guard }] } });
    const answer = await server.init(minimalInit());
    expect([answer.status, answer.text]).toEqual([403, '{"detail":"Forbidden resource"}']);
  });

  it('knows the tools, rewards and loops of agents by the type of their context', () => {
    const context = new ExecutionContextHost([]);
    context.setType('osmosis:tool');
    expect(isOsmosisContext(context)).toBe(true);
    context.setType('rpc');
    expect(isOsmosisContext(context)).toBe(false);
  });
});
