import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { loadRouteSchemasLate } from '#trainers';
import { RequestRecorder } from '../request-recorder.js';
import { describeRequest } from './describe-request.js';
import { MockTrainerModule } from './mock-trainer.module.js';
import type { MockTrainerAppOptions } from './mock-trainer.options.js';

const BODY_LIMIT_BYTES = 256 * 1024 * 1024;

/**
 * A trainer for tests: serves a scripted model to the server under test, takes its completions, and keeps all it heard.
 *
 * The application is initialised. Give its HTTP server to supertest, or let it listen, and close it in the end:
 *
 * @example
 * let trainer: NestFastifyApplication;
 * const tracker = new RolloutCompletionTracker();
 *
 * beforeAll(async () => {
 *   trainer = await createMockTrainerApp({ tracker, script: [[toolCall('add', { a: 2, b: 3 })], '5'] });
 *   await trainer.listen(0, '127.0.0.1');
 * });
 * afterAll(() => trainer.close());
 *
 * it('solves a sum', async () => {
 *   await request(app.getHttpServer())
 *     .post('/v1/rollout/init')
 *     .send({
 *       rollout_id: 'r-1',
 *       server_url: await trainer.getUrl(),
 *       messages: [{ role: 'user', content: '2 + 3?' }],
 *       completion_params: {},
 *       metadata: { ground_truth: '5' },
 *     })
 *     .expect(202);
 *   expect(await tracker.waitFor('r-1')).toMatchObject({ status: 'COMPLETED', reward: 1 });
 * });
 *
 * @throws OsmosisError `CONFIG_INVALID` for options that exclude each other
 */
export async function createMockTrainerApp(options: MockTrainerAppOptions = {}): Promise<NestFastifyApplication> {
  const { logger, ...trainerOptions } = options;
  const adapter = loadRouteSchemasLate(
    (schemaController) => new FastifyAdapter({ bodyLimit: BODY_LIMIT_BYTES, schemaController }),
  );
  const fastify = adapter.getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));

  const app = await NestFactory.create<NestFastifyApplication>(MockTrainerModule.register(trainerOptions), adapter, {
    bodyParser: false,
    // A delayed answer must not hold up the end of a test.
    forceCloseConnections: true,
    abortOnError: false,
    ...(logger !== undefined && { logger }),
  });
  const recorder = app.get(RequestRecorder);
  fastify.addHook('preValidation', async (request) => recorder.record(describeRequest(request)));
  await app.init();
  await fastify.ready();
  return app;
}
