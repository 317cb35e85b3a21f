import type { ReportedCall, SampleReport, TrajectoryReport } from '#domain';
import type { FreeForm } from '../document.js';
import { archivableObject, isObject, present } from '../values.js';

/** What an acknowledgement reports, or why its report cannot be read. */
export interface ReadReport {
  readonly report: TrajectoryReport | null;
  /** For a warning; null when there is nothing wrong, also without a report. */
  readonly fault: string | null;
}

const NOTHING: ReadReport = { report: null, fault: null };

/**
 * The `trajectory` of an acknowledgement's body (spec 0.3, 1.10). A body without one, and one that is no JSON object,
 * report nothing. Unknown fields are passed over.
 */
export function readTrajectoryReport(body: string): ReadReport {
  let ack: unknown;
  try {
    ack = JSON.parse(body);
  } catch {
    return NOTHING;
  }
  const trajectory = isObject(ack) ? ack['trajectory'] : undefined;
  if (trajectory === undefined || trajectory === null) return NOTHING;
  try {
    return { report: reportOf(trajectory), fault: null };
  } catch (error) {
    return { report: null, fault: (error as Error).message };
  }
}

class Fault extends Error {}

function reportOf(trajectory: unknown): TrajectoryReport {
  const fields = object(trajectory, 'trajectory');
  const samples = Object.entries(object(fields['samples'] ?? {}, 'trajectory.samples'));
  return present({
    model_name: text(fields['model_name'], 'trajectory.model_name'),
    samples: Object.fromEntries(samples.map(([key, sample]) => [key, sampleOf(sample, `trajectory.samples.${key}`)])),
  });
}

function sampleOf(sample: unknown, at: string): SampleReport {
  const fields = object(sample, at);
  const calls = fields['llm_call_metrics'] ?? [];
  if (!Array.isArray(calls)) throw new Fault(`${at}.llm_call_metrics is no list`);
  return present({
    model_name: text(fields['model_name'], `${at}.model_name`),
    llm_call_metrics: calls.map((call, index) => callOf(call, `${at}.llm_call_metrics[${index}]`)),
    final_metrics: optionalObject(fields['final_metrics'], `${at}.final_metrics`),
  });
}

export function callOf(call: unknown, at: string): ReportedCall {
  const fields = object(call, at);
  return present({
    prompt_tokens: whole(fields['prompt_tokens'], `${at}.prompt_tokens`),
    completion_tokens: whole(fields['completion_tokens'], `${at}.completion_tokens`),
    cached_tokens: whole(fields['cached_tokens'], `${at}.cached_tokens`),
    cost_usd: finite(fields['cost_usd'], `${at}.cost_usd`),
    prompt_token_ids: list(fields['prompt_token_ids'], `${at}.prompt_token_ids`, whole),
    completion_token_ids: list(fields['completion_token_ids'], `${at}.completion_token_ids`, whole),
    logprobs: list(fields['logprobs'], `${at}.logprobs`, finite),
    model_name: text(fields['model_name'], `${at}.model_name`),
    extra: optionalObject(fields['extra'], `${at}.extra`),
  });
}

function object(value: unknown, at: string): FreeForm {
  if (isObject(value)) return value;
  throw new Fault(`${at} is no object`);
}

function optionalObject(value: unknown, at: string): FreeForm | undefined {
  return value === undefined || value === null ? undefined : archivableObject(object(value, at));
}

function text(value: unknown, at: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new Fault(`${at} is no text`);
}

/** Numbers as text are taken, as the reference takes them. */
function finite(value: unknown, at: string): number | undefined {
  if (value === undefined || value === null) return undefined;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number === 'number' && Number.isFinite(number)) return number;
  throw new Fault(`${at} is no finite number`);
}

function whole(value: unknown, at: string): number | undefined {
  const number = finite(value, at);
  if (number === undefined || Number.isSafeInteger(number)) return number;
  throw new Fault(`${at} is no whole number`);
}

function list(
  value: unknown,
  at: string,
  read: (item: unknown, at: string) => number | undefined,
): readonly number[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw new Fault(`${at} is no list`);
  return value.map((item, index) => {
    const number = read(item, `${at}[${index}]`);
    if (number === undefined) throw new Fault(`${at}[${index}] is no number`);
    return number;
  });
}
