import { Test } from '@nestjs/testing';
import { Cancellation, type OsmosisError, type RolloutOutcome } from '#domain';
import { KEY, rolloutFor } from '../transport/fixtures/rollout-request.js';
import { failureOf, transportHarness } from '../transport/fixtures/transport-harness.js';
import { TransportModule } from '../transport/index.js';
import { OsmosisV02Trainer } from './osmosis-v02.trainer.js';
import {
  TRAINER_CLIENT_SETTINGS,
  resolveClientSettings,
  type TrainerClientSettings,
} from '../client/client.settings.js';

const USER = { role: 'user', content: 'question' };

describe('OsmosisV02Trainer', () => {
  const { transport, peer, onClose } = transportHarness();

  function trainer(settings: Partial<TrainerClientSettings> = {}): OsmosisV02Trainer {
    return new OsmosisV02Trainer(transport(), resolveClientSettings(settings));
  }

  describe('a delivery', () => {
    const attempt = { idempotencyKey: 'rollout-1', number: 1, cancellation: new Cancellation() };
    const outcome: RolloutOutcome = {
      rolloutId: 'rollout-1',
      status: 'ERROR',
      finalMessages: [USER],
      finishReason: 'error',
      errorMessage: 'broken',
      reward: null,
      rewards: [],
      metrics: {
        totalLatencyMs: 1,
        llmLatencyMs: 0,
        toolLatencyMs: 0,
        numLlmCalls: 0,
        numToolCalls: 0,
        promptTokens: 0,
        responseTokens: 0,
        maxContextTokens: 0,
      },
      failure: null,
    };

    function deliver(url: string, settings?: Partial<TrainerClientSettings>): Promise<void> {
      const instance = trainer(settings);
      const request = rolloutFor(url);
      return instance.deliver(request.trainer, instance.render(request, outcome), attempt);
    }

    it('posts the completion once to /v1/rollout/completed', async () => {
      const server = await peer([{}]);
      await deliver(`${server.origin}/v1/`);
      expect(server.requests).toHaveLength(1);
      expect(server.requests[0]).toMatchObject({
        path: '/v1/rollout/completed',
        headers: { authorization: `Bearer ${KEY}`, 'idempotency-key': 'rollout-1' },
      });
      expect(server.json(0)).toMatchObject({ rollout_id: 'rollout-1', status: 'ERROR', error_message: 'broken' });
    });

    it.each([200, 201, 202, 204])('is acknowledged by %i, whatever the body (spec 13.7)', async (status) => {
      const server = await peer([{ status, body: status === 204 ? '' : '<not json>' }]);
      await expect(deliver(server.origin)).resolves.toBeUndefined();
    });

    it.each([
      [301, false],
      [400, false],
      [401, false],
      [422, false],
      [408, true],
      [429, true],
      [500, true],
    ])(
      'fails by %i, retryable: %s, after one request: repeating is the engine’s business',
      async (status, retryable) => {
        const server = await peer([{ status, body: 'no' }]);
        expect(await failureOf<OsmosisError>(deliver(server.origin))).toMatchObject({ status, retryable });
        expect(server.requests).toHaveLength(1);
      },
    );

    it('NT-17: has a time limit of its own', async () => {
      const server = await peer(() => null);
      const { message } = await failureOf<OsmosisError>(deliver(server.origin, { deliveryTimeoutMs: 100 }));
      expect(message).toMatch(/timeout.*0\.1 s \(limit client\.deliveryTimeoutMs\)/);
    });
  });

  it('is a provider like any other, with defaults when nothing is set', async () => {
    const app = await Test.createTestingModule({
      imports: [TransportModule.forRoot({})],
      providers: [
        OsmosisV02Trainer,
        { provide: TRAINER_CLIENT_SETTINGS, useValue: resolveClientSettings({ timeoutMs: 100, maxRetries: 0 }) },
      ],
    }).compile();
    onClose(() => app.close());
    const server = await peer(() => null);
    const model = app.get(OsmosisV02Trainer).openChat(rolloutFor(server.origin));
    const call = model.complete([USER], { params: {}, tools: [], cancellation: new Cancellation() });
    await expect(call).rejects.toThrow('within 0.1 s');

    const bare = await Test.createTestingModule({
      imports: [TransportModule.forRoot({})],
      providers: [OsmosisV02Trainer],
    }).compile();
    onClose(() => bare.close());
    expect(bare.get(OsmosisV02Trainer).dialect).toBe('osmosis-v0.2');
  });
});
