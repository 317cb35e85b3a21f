import { Controller, Get, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { RouteSchema, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createHttpAdapter } from './http-adapter.js';

@Controller()
class SchemaController {
  @Post('checked')
  @RouteSchema({
    headers: { type: 'object', properties: { 'X-Count': { type: 'integer' } }, required: ['X-Count'] },
    body: { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] },
  })
  checked(): string {
    return 'fits';
  }

  @Get('written')
  @RouteSchema({ response: { 200: { type: 'object', properties: { told: { type: 'string' } } } } })
  written(): object {
    return { told: 'yes', kept: 'secret' };
  }
}

@Module({ controllers: [SchemaController] })
class AppModule {}

describe('createHttpAdapter', () => {
  let app: NestFastifyApplication;
  let base: string;
  const post = async (headers: Record<string, string>, body: object): Promise<number> => {
    const answer = await fetch(`${base}/checked`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    return answer.status;
  };

  beforeAll(async () => {
    const options = { logger: false, abortOnError: false } as const;
    app = await NestFactory.create<NestFastifyApplication>(AppModule, createHttpAdapter(), options);
    await app.listen(0, '127.0.0.1');
    base = await app.getUrl();
  });
  afterAll(() => app.close());

  it("heeds the schemas of a user's routes", async () => {
    expect(await post({ 'X-Count': '3' }, { name: 'n' })).toBe(201);
    expect(await post({ 'X-Count': '3' }, {})).toBe(400);
    expect(await (await fetch(`${base}/written`)).json()).toEqual({ told: 'yes' });
  });

  it('knows headers by their names in any case', async () => {
    expect(await post({}, { name: 'n' })).toBe(400);
    expect(await post({ 'x-count': 'many' }, { name: 'n' })).toBe(400);
  });
});
