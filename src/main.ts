import 'reflect-metadata';
import { ConfigService } from '@nestjs/config';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { OsmosisNotFoundFilter } from '#osmosis';
import { AppModule } from './app.module.js';
import { OSMOSIS_SETTINGS } from './config/config-module.js';
import type { Settings } from './config/settings.js';
import { serveOpenApi } from './openapi.js';
import { createHttpAdapter } from './serving/http-adapter.js';
import { LineLogger } from './serving/line.logger.js';
import { StopSignals } from './serving/stop-signals.js';

const terminal = process.stdout.isTTY;
const signals = new StopSignals();

const app = await NestFactory.create<NestFastifyApplication>(AppModule, createHttpAdapter(), {
  logger: new LineLogger({ json: !terminal, colors: terminal && !process.env['NO_COLOR'] }, 'stdout'),
});
app.useGlobalFilters(new OsmosisNotFoundFilter());
serveOpenApi(app);
const settings = app.get(ConfigService).getOrThrow<Settings>(OSMOSIS_SETTINGS);
await app.listen({ port: settings.get('PORT'), host: settings.get('HOST'), backlog: 4096 });
signals.serving();

const url = await app.getUrl();
if (terminal) process.stdout.write(`\nServing on ${url}, OpenAPI document at ${url}/openapi.json. Stop with Ctrl-C.\n`);
else process.stdout.write(`${JSON.stringify({ event: 'listening', url })}\n`);

// Drains first: a signal is no reason to lose a rollout.
await signals.received;
await app.close();
process.exit(0);
