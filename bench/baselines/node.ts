import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { programOptions, serveBenchmark } from '../servers/program.js';
import { BareRollouts } from './bare-rollout.js';

/** Bare `node:http` and undici's Pool. */
const { apiKey, toolCharacters } = programOptions<{ apiKey: string; toolCharacters?: number }>();
const rollouts = new BareRollouts(toolCharacters);
const bearer = `Bearer ${apiKey}`;

const server = createServer((request, response) => {
  if (request.headers.authorization !== bearer) return void response.writeHead(401).end();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const init = JSON.parse(Buffer.concat(chunks).toString()) as Parameters<BareRollouts['accept']>[0];
    const text = rollouts.accept(init);
    response.writeHead(202, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
    response.end(text);
  });
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () =>
  serveBenchmark(`http://127.0.0.1:${(server.address() as AddressInfo).port}`),
);
