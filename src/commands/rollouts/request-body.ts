import type { RolloutRequest, TrainerCallbacks } from '#domain';

/** A request as the store has it: without its bearers. */
export type StoredRequest = Omit<RolloutRequest, 'trainer'> & {
  readonly trainer: { readonly url: string; readonly callbacks?: TrainerCallbacks };
};

/** As its trainer has sent it, in its dialect: with the keys added, it can be sent again. */
export function requestBody(request: StoredRequest): Readonly<Record<string, unknown>> {
  const { callbacks } = request.trainer;
  return callbacks ? rolloutBody(request, callbacks) : initBody(request);
}

/** `POST /v1/rollout/init` (spec 0.2, 1.2). */
function initBody(request: StoredRequest): Readonly<Record<string, unknown>> {
  return {
    rollout_id: request.rolloutId,
    server_url: withoutCredentials(request.trainer.url),
    messages: request.messages,
    completion_params: request.completionParams,
    tool_server_url: request.toolServerUrl,
    max_turns: request.maxTurns,
    max_tokens_total: request.maxTokensTotal,
    metadata: request.metadata,
    idempotency_key: request.idempotencyKey,
  };
}

/** `POST /rollout` (spec 0.3, 1.3). Metadata that was null is `{}`. */
function rolloutBody(request: StoredRequest, callbacks: TrainerCallbacks): Readonly<Record<string, unknown>> {
  const { limits } = request;
  return {
    rollout_id: request.rolloutId,
    initial_messages: request.messages,
    label: request.label ?? null,
    metadata: request.metadata,
    chat_completions_url: withoutCredentials(request.trainer.url),
    completion_callback_url: withoutCredentials(callbacks.completionUrl),
    grader_callback_url: callbacks.graderUrl === null ? null : withoutCredentials(callbacks.graderUrl),
    agent_timeout_sec: seconds(limits?.agentMs),
    grader_timeout_sec: seconds(limits?.scoringMs),
    extra_fields: request.extraFields ?? null,
  };
}

function seconds(ms: number | null | undefined): number | null {
  return ms === null || ms === undefined ? null : ms / 1_000;
}

/** What stands before the host may be a password, and is nothing for a file that is handed on. */
function withoutCredentials(url: string): string {
  return url.replace(/^([^/?#]*\/\/)[^/?#]*@/, '$1');
}
