import type { ToolDefinition } from '#domain';
import type { DriveRolloutsOptions, RolloutTask } from './drive-rollouts.js';

/** What came of an init. */
export interface InitAnswer {
  readonly status: number | null;
  readonly tools: readonly ToolDefinition[];
  /** Why the rollout was not accepted. */
  readonly refusal?: string;
}

/** Asks the server under test for a rollout. Never rejects. */
export async function postInit(
  task: RolloutTask,
  rolloutId: string,
  options: DriveRolloutsOptions,
  timeoutMs: number,
): Promise<InitAnswer> {
  try {
    return await send(task, rolloutId, options, timeoutMs);
  } catch (error) {
    return { status: null, tools: [], refusal: `init failed: ${reasonOf(error)}` };
  }
}

async function send(
  task: RolloutTask,
  rolloutId: string,
  options: DriveRolloutsOptions,
  timeoutMs: number,
): Promise<InitAnswer> {
  const { serverUrl, trainerUrl, apiKey, trainerApiKey } = options;
  const agent = task.agent === undefined ? '' : `/agents/${encodeURIComponent(task.agent)}`;
  const response = await fetch(`${serverUrl.replace(/\/+$/, '')}${agent}/v1/rollout/init`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
    // Undefined fields are left out, so that the server's defaults apply.
    body: JSON.stringify({
      rollout_id: rolloutId,
      server_url: trainerUrl,
      messages: task.messages,
      completion_params: task.completionParams ?? {},
      max_turns: task.maxTurns,
      max_tokens_total: task.maxTokensTotal,
      metadata: task.metadata,
      api_key: trainerApiKey,
      idempotency_key: task.idempotencyKey,
    }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  const tools = response.status === 202 ? readTools(text) : null;
  if (tools) return { status: response.status, tools };
  return { status: response.status, tools: [], refusal: `init was answered ${response.status}: ${text}` };
}

/** Null when the answer is not that of an accepted init. */
function readTools(text: string): readonly ToolDefinition[] | null {
  const body = parseJson(text);
  if (typeof body !== 'object' || body === null || !('tools' in body) || !Array.isArray(body.tools)) return null;
  return body.tools as readonly ToolDefinition[];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** `fetch` hides the reason in the cause. In Jest its errors are of another realm, no instances of our `Error`. */
function reasonOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('message' in error)) return String(error);
  const cause = 'cause' in error && error.cause ? ` (${reasonOf(error.cause)})` : '';
  return `${String(error.message)}${cause}`;
}
