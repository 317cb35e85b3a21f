import type { INestApplicationContext } from '@nestjs/common';
import { ChatModels } from '#model';
import {
  chatReply,
  errorReply,
  FakeProvider,
  toolReply,
  type FakeReply,
} from '../../../model/testing/fake-provider.js';
import { agentApp } from '../../testing/agent-app.js';
import { AdderAgent } from '../../testing/calculator.js';
import { DatasetFiles, jsonl, row } from '../../testing/dataset-files.js';
import { TestRunner } from '../test.runner.js';
import { HostedEvaluationModel } from './hosted.model.js';

const KEY = 'SECRET-9c1b';
const files = new DatasetFiles();
const models = new ChatModels({ retry: { maxRetries: 0, baseDelayMs: 5, maxDelayMs: 10 } });
let provider: FakeProvider;
let app: INestApplicationContext;

beforeAll(async () => {
  app = await agentApp(AdderAgent);
});
beforeEach(async () => {
  provider = await FakeProvider.start();
});
afterEach(() => provider.stop());
afterAll(async () => {
  await app.close();
  await models.onApplicationShutdown();
  files.remove();
});

const open = (baseUrl = provider.url): HostedEvaluationModel =>
  new HostedEvaluationModel(models, { model: 'some-model', baseUrl, apiKey: KEY });

describe('a hosted model', () => {
  it('is asked for one word before the first run (spec F.3)', async () => {
    await open().preflight();
    expect(provider.seen).toHaveLength(1);
    expect(provider.seen[0]?.body).toMatchObject({ max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] });
  });

  it.each([
    ['a wrong key', errorReply(401, 'no')],
    ['no permission', errorReply(403, 'no')],
    ['no such model', errorReply(404, 'no')],
    ['no quota', errorReply(429, 'no', { code: 'insufficient_quota' })],
  ])('%s stops everything', async (_name, reply) => {
    provider.behave([reply]);
    await expect(open().preflight()).rejects.toMatchObject({ isSystemic: true });
  });

  it('an address where nobody listens stops everything', async () => {
    await expect(open('http://127.0.0.1:1').preflight()).rejects.toMatchObject({ kind: 'connection' });
  });

  it.each([
    ['a rate limit', errorReply(429, 'slow down')],
    ['a fault of the server', errorReply(500, 'oops')],
    ['a parameter it does not take', errorReply(400, 'max_tokens is not supported', { param: 'max_tokens' })],
  ])('%s is a sign of life', async (_name, reply) => {
    provider.behave([reply]);
    await open().preflight();
  });

  it('runs an agent over a real connection: tools, sampling parameters, tokens of each row', async () => {
    provider.behave(({ body, ...request }): FakeReply => {
      const messages = body['messages'] as readonly { role: string; content: string }[];
      const last = messages.at(-1);
      if (body['max_tokens'] === 1) return chatReply('hi');
      return last?.role === 'tool' ? chatReply(last.content) : toolReply({ ...request, body }, { a: 2, b: 3 });
    });
    const result = await app.get(TestRunner).run({
      dataset: { path: files.write('rows.jsonl', jsonl(row('What is 2 + 3?', '5'), row('And 2 + 3?', '5'))) },
      model: open(),
      limits: { completionParams: { temperature: 0.5, max_tokens: 99 } },
    });
    expect(result).toMatchObject({ passed: 2, failed: 0 });
    expect(result.runs.map(({ reward, token_usage }) => [reward, token_usage])).toEqual(
      [0, 1].map(() => [1, { prompt_tokens: 22, completion_tokens: 14, total_tokens: 36, num_llm_calls: 2 }]),
    );
    expect(provider.seen[1]?.body).toMatchObject({ model: 'some-model', temperature: 0.5, max_tokens: 99 });
    expect(provider.seen).toHaveLength(5);
  });

  it('is known by its name and address; its key is in nothing that is kept', () => {
    const { identity, name } = open();
    expect(identity).toMatchObject({ model: 'some-model', base_url: expect.stringContaining(provider.url) });
    expect(JSON.stringify([identity, name])).not.toContain(KEY);
  });
});
