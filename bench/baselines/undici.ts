import { setImmediate as turn } from 'node:timers/promises';
import { Pool } from 'undici';
import { programOptions, serveBenchmark } from '../servers/program.js';

/** Chat calls one after another on so many lanes, by undici's Pool alone: the least that a turn costs. */
const { trainerUrl } = programOptions<{ trainerUrl: string }>();
const pool = new Pool(trainerUrl, { connections: null, pipelining: 1 });
const message = { role: 'user', content: 'What is 2 + 3?' };
const body = JSON.stringify({ model: 'default', messages: [message, message, message, message], rollout_id: 'r' });

let running = 0;
let wanted = 0;
let calls = 0;

async function lane(): Promise<void> {
  running++;
  while (running <= wanted) {
    const response = await pool.request({
      method: 'POST',
      path: '/v1/chat/completions',
      headers: { 'content-type': 'application/json', authorization: 'Bearer trainer-key' },
      body,
    });
    JSON.parse(await response.body.text());
    calls++;
  }
  running--;
}

function run(lanes: number): true {
  wanted = lanes;
  for (let index = running; index < lanes; index++) void turn().then(lane);
  return true;
}

serveBenchmark(trainerUrl, { calls: () => calls, start: () => run(64), stop: () => run(0) });
