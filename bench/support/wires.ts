/** What the load and the trainer must know of a dialect. */
export interface Wire {
  readonly initPath: string;
  /** @param fields further ones, as JSON without braces and with a comma behind each */
  init(id: string, trainerUrl: string, fields: string): string;
  /** Where the last request of a rollout goes; those to other paths besides the chat calls are acknowledged only. */
  readonly lastPath: string;
  /** What the last request of a rollout that went well has near its begin. */
  readonly success: RegExp;
}

const MESSAGES = '[{"role":"system","content":"Use the tools."},{"role":"user","content":"What is 2 + 3?"}]';

export const V02: Wire = {
  initPath: '/v1/rollout/init',
  init: (id, trainerUrl, fields) =>
    `{"rollout_id":"${id}","server_url":"${trainerUrl}","messages":${MESSAGES},` +
    `"completion_params":{"temperature":1},"metadata":{"ground_truth":"5"},` +
    `${fields}"api_key":"trainer-key","idempotency_key":"key-${id}"}`,
  lastPath: '/v1/rollout/completed',
  success: /"status": ?"COMPLETED"/,
};

export const V03: Wire = {
  initPath: '/rollout',
  init: (id, trainerUrl, fields) =>
    `{"rollout_id":"${id}","initial_messages":${MESSAGES},"label":"5","chat_completions_url":"${trainerUrl}/v1",` +
    `"completion_callback_url":"${trainerUrl}/v1/rollout/completed",${fields}` +
    `"grader_callback_url":"${trainerUrl}/v1/grader/completed","controller_api_key":"trainer-key","metadata":{}}`,
  lastPath: '/v1/grader/completed',
  success: /"status": ?"success"/,
};
