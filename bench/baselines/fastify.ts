import { fastify } from 'fastify';
import { programOptions, serveBenchmark } from '../servers/program.js';
import { BareRollouts } from './bare-rollout.js';

/** Bare Fastify, the init checked by its schema, and undici's Pool. */
const { apiKey, toolCharacters } = programOptions<{ apiKey: string; toolCharacters?: number }>();
const rollouts = new BareRollouts(toolCharacters);
const bearer = `Bearer ${apiKey}`;

const text = { type: 'string' };
const body = {
  type: 'object',
  required: ['rollout_id', 'server_url', 'messages', 'completion_params'],
  properties: {
    rollout_id: text,
    server_url: text,
    messages: { type: 'array', items: { type: 'object' } },
    completion_params: { type: 'object' },
    metadata: { type: 'object' },
    api_key: text,
    idempotency_key: text,
  },
};

const app = fastify();
app.addHook('onRequest', (request, reply, done) => {
  if (request.headers.authorization === bearer) done();
  else void reply.code(401).send();
});
app.post('/v1/rollout/init', { schema: { body } }, (request, reply) => {
  const answer = rollouts.accept(request.body as Parameters<BareRollouts['accept']>[0]);
  void reply.code(202).type('application/json').send(answer);
});
serveBenchmark(await app.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }));
