/** A rollout as the control routes tell it (docs/server.md). Times are ISO 8601 text, durations milliseconds. */
export interface RolloutJson {
  readonly rollout_id: string;
  readonly agent: string;
  readonly dialect: string;
  readonly state: string;
  readonly phase: string | null;
  readonly status: string | null;
  readonly accepted_at: string;
  readonly started_at: string | null;
  readonly sealed_at: string | null;
  readonly ended_at: string | null;
  /** Per phase, while it runs. */
  readonly elapsed_ms: Readonly<Record<string, number>>;
  readonly turns: number;
  readonly metrics: Readonly<Record<string, number>> | null;
  readonly finish_reason: string | null;
  readonly error_message: string | null;
  readonly reward: number | null;
  readonly rewards: readonly RewardJson[];
  readonly failure: FailureJson | null;
  readonly delivery: DeliveryJson | null;
}

export interface RewardJson {
  readonly name: string;
  /** Missing when it could not be computed. */
  readonly value?: number;
  readonly weight: number;
  readonly duration_ms: number;
  readonly failure?: FailureJson;
}

export interface FailureJson {
  readonly class: string;
  readonly phase: string;
  readonly code: string;
  readonly message: string;
  readonly retryable: boolean;
  readonly evidence?: unknown;
}

export interface DeliveryJson {
  readonly state: string;
  readonly attempts: number;
  readonly last_error: string | null;
  readonly next_attempt_at: string | null;
  readonly failures: readonly { readonly number: number; readonly at: string; readonly error: string }[];
}

type Check = (value: unknown) => boolean;
type Checks<Shape> = { readonly [Field in keyof Shape]-?: Check };

const text: Check = (value) => typeof value === 'string';
const number: Check = (value) => typeof value === 'number';
const truth: Check = (value) => typeof value === 'boolean';
const anything: Check = () => true;
const time: Check = (value) => typeof value === 'string' && !Number.isNaN(Date.parse(value));
const numbers: Check = (value) => isObject(value) && Object.values(value).every(number);

const FAILURE: Checks<FailureJson> = {
  class: text,
  phase: text,
  code: text,
  message: text,
  retryable: truth,
  evidence: anything,
};

const REWARD: Checks<RewardJson> = {
  name: text,
  value: optional(number),
  weight: number,
  duration_ms: number,
  failure: optional(shape(FAILURE)),
};

const DELIVERY: Checks<DeliveryJson> = {
  state: text,
  attempts: number,
  last_error: nullable(text),
  next_attempt_at: nullable(time),
  failures: listOf(shape({ number, at: time, error: text })),
};

const ROLLOUT: Checks<RolloutJson> = {
  rollout_id: text,
  agent: text,
  dialect: text,
  state: text,
  phase: nullable(text),
  status: nullable(text),
  accepted_at: time,
  started_at: nullable(time),
  sealed_at: nullable(time),
  ended_at: nullable(time),
  elapsed_ms: numbers,
  turns: number,
  metrics: nullable(numbers),
  finish_reason: nullable(text),
  error_message: nullable(text),
  reward: nullable(number),
  rewards: listOf(shape(REWARD)),
  failure: nullable(shape(FAILURE)),
  delivery: nullable(shape(DELIVERY)),
};

const isRollout = shape(ROLLOUT);

/** Whether a server's answer is a rollout. Fields beside the known ones are a newer server's, and welcome. */
export function isRolloutJson(value: unknown): value is RolloutJson {
  return isRollout(value);
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function shape(checks: Readonly<Record<string, Check>>): Check {
  return (value) => isObject(value) && Object.entries(checks).every(([field, check]) => check(value[field]));
}

function listOf(check: Check): Check {
  return (value) => Array.isArray(value) && value.every(check);
}

function nullable(check: Check): Check {
  return (value) => value === null || check(value);
}

function optional(check: Check): Check {
  return (value) => value === undefined || check(value);
}
