import type { ToolDefinition } from '#domain';
import type { DriveRolloutsOptions, RolloutTask } from './drive-rollouts.js';
import { rolloutUrls } from './rollout-urls.js';

/** What came of a request for a rollout. */
export interface RequestAnswer {
  readonly status: number | null;
  readonly tools: readonly ToolDefinition[];
  /** Why the rollout was not accepted. */
  readonly refusal?: string;
}

/** Asks the server under test for a rollout. Never rejects. */
export async function postRequest(
  task: RolloutTask,
  rolloutId: string,
  options: DriveRolloutsOptions,
  timeoutMs: number,
): Promise<RequestAnswer> {
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
): Promise<RequestAnswer> {
  const { serverUrl, apiKey } = options;
  const agent = task.agent === undefined ? '' : `/agents/${encodeURIComponent(task.agent)}`;
  const { path, body } = requestOf(task, rolloutId, options);
  const response = await fetch(`${serverUrl.replace(/\/+$/, '')}${agent}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }) },
    // Undefined fields are left out, so that the server's defaults apply.
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  const tools = response.status !== 202 ? null : options.dialect === 'osmosis-v0.3' ? [] : readTools(text);
  if (tools) return { status: response.status, tools };
  return { status: response.status, tools: [], refusal: `init was answered ${response.status}: ${text}` };
}

function requestOf(
  task: RolloutTask,
  rolloutId: string,
  options: DriveRolloutsOptions,
): { readonly path: string; readonly body: Record<string, unknown> } {
  const groundTruth = task.metadata?.['ground_truth'];
  const common = { rollout_id: rolloutId, metadata: task.metadata };
  if (options.dialect === 'osmosis-v0.3') {
    const label = task.label !== undefined ? task.label : typeof groundTruth === 'string' ? groundTruth : undefined;
    const body = {
      ...common,
      ...rolloutUrls(options.trainerUrl, rolloutId),
      initial_messages: task.messages,
      label,
      controller_api_key: options.trainerApiKey,
      llm_api_key: options.modelKey,
      agent_timeout_sec: task.agentTimeoutSec,
      grader_timeout_sec: task.graderTimeoutSec,
    };
    return { path: '/rollout', body };
  }
  const body = {
    ...common,
    server_url: options.trainerUrl,
    messages: task.messages,
    completion_params: task.completionParams ?? {},
    max_turns: task.maxTurns,
    max_tokens_total: task.maxTokensTotal,
    api_key: options.trainerApiKey,
    idempotency_key: task.idempotencyKey,
  };
  return { path: '/v1/rollout/init', body };
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
