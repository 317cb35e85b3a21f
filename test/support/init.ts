import type { Rig } from './rig.js';

/** For trackers: a busy machine is no failure. */
export const PATIENT = { timeoutMs: 45_000 } as const;

export const MESSAGES = [{ role: 'user', content: 'hello' }];

export interface InitAnswer {
  readonly status: number;
  readonly body: { readonly rollout_id?: string; readonly detail?: unknown; readonly tools?: unknown };
}

/** Posts an init to the rig's server, for its trainer unless the fields name another one. */
export async function init(rig: Rig, rolloutId: string, fields: object = {}): Promise<InitAnswer> {
  const response = await fetch(`${rig.serverUrl}/v1/rollout/init`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      rollout_id: rolloutId,
      server_url: rig.trainerUrl,
      messages: MESSAGES,
      completion_params: {},
      ...fields,
    }),
  });
  return { status: response.status, body: (await response.json()) as InitAnswer['body'] };
}

export interface StatusBody {
  readonly state: string;
  readonly phase: string | null;
  readonly status: string | null;
  readonly delivery: null | {
    readonly state: string;
    readonly attempts: number;
    readonly last_error: string | null;
    readonly next_attempt_at: string | null;
  };
  readonly [field: string]: unknown;
}

export async function statusOf({ serverUrl }: Rig, rolloutId: string): Promise<StatusBody> {
  const response = await fetch(`${serverUrl}/v1/rollout/${encodeURIComponent(rolloutId)}`);
  return (await response.json()) as StatusBody;
}

/** Rollouts that wait, run or are being delivered. */
export async function activeRollouts({ serverUrl }: Rig): Promise<number> {
  const health = (await (await fetch(`${serverUrl}/health`)).json()) as { readonly active_rollouts: number };
  return health.active_rollouts;
}

/** Waits until something holds, as patiently as the trackers do; fails if it never does. */
export async function until(holds: () => boolean | Promise<boolean>, what = holds.toString()): Promise<void> {
  for (const deadline = Date.now() + PATIENT.timeoutMs; Date.now() < deadline;) {
    if (await holds()) return;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  throw new Error(`It did not come about: ${what}`);
}
