import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { RolloutCompletionTracker } from '../completion-tracker.js';
import { FaultPlan } from '../fault-plan.js';
import { completion, delayed, dropConnection, httpAnswer, toolCall } from '../mock-model/answers.js';
import { RequestRecorder } from '../request-recorder.js';
import { createMockTrainerApp } from './mock-trainer.app.js';
import type { MockTrainerOptions } from './mock-trainer.options.js';

let app: NestFastifyApplication;
let url: string;

async function start(options: MockTrainerOptions): Promise<void> {
  app = await createMockTrainerApp({ logger: false, ...options });
  await app.listen(0, '127.0.0.1');
  url = await app.getUrl();
}

afterEach(() => app.close());

function post(path: string, body: unknown): Promise<Response> {
  return fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const chat = (rolloutId = 'r-1'): Promise<Response> =>
  post('/v1/chat/completions', { rollout_id: rolloutId, messages: [] });
const complete = (rolloutId = 'r-1'): Promise<Response> =>
  post('/v1/rollout/completed', { rollout_id: rolloutId, status: 'COMPLETED' });

async function messageOf(response: Promise<Response>): Promise<unknown> {
  return ((await (await response).json()) as { choices: { message: unknown }[] }).choices[0]?.message;
}

describe('scripts over a real socket', () => {
  it('each rollout hears the list from its start', async () => {
    const call = toolCall('add', { a: 1, b: 2 });
    await start({ script: [[call], '3'] });
    const asksForTool = { role: 'assistant', content: null, tool_calls: [call] };
    expect(await messageOf(chat('a'))).toEqual(asksForTool);
    expect(await messageOf(chat('b'))).toEqual(asksForTool);
    expect(await messageOf(chat('a'))).toEqual({ role: 'assistant', content: '3' });
  });

  it('a function sees the request and the turn', async () => {
    await start({ script: async (request, turn) => `${request.rollout_id} ${turn} ${request.max_tokens}` });
    await chat('a');
    expect(await messageOf(chat('a'))).toEqual({ role: 'assistant', content: 'a 1 512' });
  });

  it('a script that is at its end or throws is told with 400, which nobody retries', async () => {
    await start({ script: ['one'] });
    await chat();
    const response = await chat();
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({ detail: expect.stringContaining('Add an answer') });
    await app.close();
    await start({
      script: () => {
        throw new Error('unexpected question');
      },
    });
    expect(await (await chat()).json()).toEqual({
      detail: 'The script of the mock trainer threw: unexpected question',
    });
  });

  it('answers may be any HTTP, other fields, late, or nothing at all', async () => {
    await start({
      script: [
        httpAnswer(429, { headers: { 'retry-after': '7' }, body: { detail: 'slow' } }),
        httpAnswer(200, { body: 'no json', headers: { 'content-type': 'text/html' } }),
        completion('x', { usage: null }),
        delayed(60, 'late'),
        dropConnection(),
      ],
    });
    const refused = await chat();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '7']);
    expect(await refused.json()).toEqual({ detail: 'slow' });
    const odd = await chat();
    expect([odd.status, odd.headers.get('content-type'), await odd.text()]).toEqual([200, 'text/html', 'no json']);
    expect(await (await chat()).json()).toMatchObject({ usage: null });
    const before = performance.now();
    expect(await messageOf(chat())).toEqual({ role: 'assistant', content: 'late' });
    expect(performance.now() - before).toBeGreaterThan(50);
    await expect(chat()).rejects.toThrow('fetch failed');
  });

  it('closing does not wait for a late answer', async () => {
    await start({ script: [delayed(3_600_000, 'never')] });
    const answer = chat().catch((error: unknown) => error);
    while (app.get(RequestRecorder).chats.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await app.close();
    expect(await answer).toMatchObject({ message: 'fetch failed' });
  });
});

describe('faults over a real socket', () => {
  it('statuses and a socket dropped before: the request is not handled, the turn not spent', async () => {
    const faults = new FaultPlan().onChat(503, { status: 429, headers: { 'retry-after': '2' } }, 'drop-before');
    await start({ script: ['first'], faults });
    expect((await chat()).status).toBe(503);
    expect((await chat()).headers.get('retry-after')).toBe('2');
    await expect(chat()).rejects.toThrow('fetch failed');
    expect(await messageOf(chat())).toEqual({ role: 'assistant', content: 'first' });
    expect(faults.pending).toBe(0);
  });

  it('a socket dropped after: the completion is taken, its acknowledgement lost', async () => {
    const tracker = new RolloutCompletionTracker();
    await start({ tracker, faults: new FaultPlan().onCompleted('drop-after') });
    await expect(complete()).rejects.toThrow('fetch failed');
    expect(tracker.responses).toHaveLength(1);
    expect((await complete()).status).toBe(200);
    expect(tracker.responses).toHaveLength(2);
  });

  it('a malformed answer has status 200 and half its JSON', async () => {
    await start({ script: ['hello'], faults: new FaultPlan().onChat('malformed') });
    const response = await chat();
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toMatch(/^\{"id":"r-1"/);
    expect(() => JSON.parse(text) as unknown).toThrow();
  });

  it('a delay comes before the handling, a rule for one rollout leaves the others alone', async () => {
    const faults = new FaultPlan().add({ route: 'completed', faults: [{ delayMs: 60 }, 500], rolloutId: 'slow' });
    await start({ faults });
    const before = performance.now();
    expect((await complete('slow')).status).toBe(200);
    expect(performance.now() - before).toBeGreaterThan(50);
    expect((await complete('other')).status).toBe(200);
    expect((await complete('slow')).status).toBe(500);
  });
});

describe('the request recorder', () => {
  it('keeps what came in, byte for byte, also what was refused or dropped', async () => {
    const recorder = new RequestRecorder();
    await start({ recorder, script: ['x'], faults: new FaultPlan().onCompleted('drop-before') });
    const raw = '{ "rollout_id": "r-1",  "messages": [{"content": "é"}] }';
    await post('/v1/chat/completions', raw);
    await post('/v1/chat/completions', '{broken');
    await post('/elsewhere?x=1', {});
    await complete('r-2').catch(() => null);
    expect(recorder.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /v1/chat/completions',
      'POST /v1/chat/completions',
      'POST /elsewhere?x=1',
      'POST /v1/rollout/completed',
    ]);
    const [first, broken] = recorder.chats;
    expect(first).toMatchObject({ rawBody: raw, rolloutId: 'r-1', body: { messages: [{ content: 'é' }] } });
    expect(first?.headers['content-type']).toBe('application/json');
    expect(Math.abs((first?.receivedAt ?? 0) - Date.now())).toBeLessThan(60_000);
    expect([broken?.body, broken?.rolloutId]).toEqual([undefined, undefined]);
    expect(recorder.completions.map((request) => request.rolloutId)).toEqual(['r-2']);
    expect(recorder.forRollout('r-2')).toEqual(recorder.completions);
  });

  it('forgets the oldest beyond its limit', async () => {
    const recorder = new RequestRecorder({ limit: 2 });
    await start({ recorder });
    for (const id of ['a', 'b', 'c']) await chat(id);
    expect(recorder.requests.map((request) => request.rolloutId)).toEqual(['b', 'c']);
    recorder.clear();
    expect(recorder.requests).toEqual([]);
  });
});
