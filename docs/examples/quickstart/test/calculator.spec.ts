import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { createMockTrainerApp, RolloutCompletionTracker, toolCall } from 'nestjs-osmosis/testing';
import request from 'supertest';
import { AppModule } from '../src/app.module.js';

describe('calculator', () => {
  const tracker = new RolloutCompletionTracker();
  let app: NestFastifyApplication;
  let trainer: NestFastifyApplication;

  beforeAll(async () => {
    // The trainer's model: asks for the tool, then answers with what it got.
    trainer = await createMockTrainerApp({ tracker, script: [[toolCall('add', { a: 2, b: 3 })], '5'] });
    await trainer.listen(0, '127.0.0.1');
    const module = await Test.createTestingModule({ imports: [AppModule] }).compile();
    app = module.createNestApplication<NestFastifyApplication>(new FastifyAdapter());
    await app.init();
    await app.getHttpAdapter().getInstance().ready();
  });

  afterAll(async () => {
    await app.close();
    await trainer.close();
  });

  it('solves a sum and is rewarded for it', async () => {
    const accepted = await request(app.getHttpServer())
      .post('/v1/rollout/init')
      .send({
        rollout_id: 'sum-1',
        server_url: await trainer.getUrl(),
        messages: [{ role: 'user', content: 'What is 2 + 3?' }],
        completion_params: { temperature: 0.7 },
        metadata: { ground_truth: '5' },
      })
      .expect(202);
    expect(accepted.body.tools[0].function.name).toBe('add');

    const completion = await tracker.waitFor('sum-1');
    expect(completion).toMatchObject({ status: 'COMPLETED', finish_reason: 'stop', reward: 1 });
  });
});
