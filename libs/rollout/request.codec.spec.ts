import { Secret, type RolloutRequest } from '#domain';
import { decodeRequest, encodeKeys, encodeRequest } from './request.codec.js';

const request: RolloutRequest = {
  rolloutId: 'r/1 😀',
  agent: 'calculator',
  trainer: { dialect: 'osmosis-v0.2', url: 'http://trainer:9/base/', apiKey: Secret.from('SECRET-7f3a') },
  messages: [{ role: 'user', content: [{ type: 'text', text: 'hi' }], vendor_field: null }],
  completionParams: { temperature: 0.5, stop: null },
  toolServerUrl: null,
  maxTurns: 10,
  maxTokensTotal: 8192,
  metadata: { ground_truth: '4', deep: { list: [1, 2.5, 'x'] } },
  idempotencyKey: 'k',
};

describe('a stored request', () => {
  it('A-NOKEY: is stored without the bearer', () => {
    expect(encodeRequest(request)).not.toMatch(/SECRET|secret|apiKey/);
  });

  it('comes back as it was, with the bearer that the store kept apart', () => {
    const key = Secret.from('SECRET-7f3a');
    const decoded = decodeRequest(encodeRequest(request), key);
    expect(decoded).toEqual({ ...request, trainer: { ...request.trainer, apiKey: key } });
    expect(decoded.trainer.apiKey).toBe(key);
  });

  it('and without one when there was none', () => {
    expect(decodeRequest(encodeRequest(request), null).trainer.apiKey).toBeNull();
  });

  it('two bearers and the callbacks come back, too', () => {
    const callbacks = { completionUrl: 'http://c/done', graderUrl: null };
    const trainer = { ...request.trainer, apiKey: null, modelKey: Secret.from('["SECRET"]'), callbacks };
    const text = encodeRequest({ ...request, trainer });
    expect(text).not.toMatch(/SECRET|apiKey|modelKey/);
    const decoded = decodeRequest(text, encodeKeys(trainer)).trainer;
    expect(decoded).toMatchObject({ apiKey: null, callbacks });
    expect(decoded.modelKey?.reveal()).toBe('["SECRET"]');
  });

  it('a bearer that looks like two is one', () => {
    const apiKey = Secret.from('["a","b"]');
    const trainer = { ...request.trainer, apiKey };
    expect(decodeRequest(encodeRequest({ ...request, trainer }), encodeKeys(trainer)).trainer).toMatchObject({
      apiKey,
    });
  });
});
