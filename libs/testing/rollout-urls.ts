/** Where a mock trainer takes what concerns a rollout of dialect 0.3: the fields of `POST /rollout` (spec 0.3, 1.20). */
export interface RolloutUrls {
  readonly chat_completions_url: string;
  readonly completion_callback_url: string;
  readonly grader_callback_url: string;
}

/** @param trainerUrl base URL of the mock trainer, as the server under test reaches it */
export function rolloutUrls(trainerUrl: string, rolloutId: string): RolloutUrls {
  const base = `${trainerUrl.replace(/\/+$/, '')}/v1/rollouts/${encodeURIComponent(rolloutId)}`;
  return {
    chat_completions_url: base,
    completion_callback_url: `${base}/completion`,
    grader_callback_url: `${base}/grader`,
  };
}
