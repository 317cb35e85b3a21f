import { RunLogError } from './log.error.js';

/**
 * What a run's results depend on: a resumed run must agree with it in all of this. Concurrency, output paths, the pass
 * threshold and the like are not in it, since they change no run.
 */
export interface RunIdentity {
  readonly dataset: Readonly<Record<string, unknown>>;
  readonly agent: Readonly<Record<string, unknown>>;
  readonly model: Readonly<Record<string, unknown>>;
  readonly baseline: Readonly<Record<string, unknown>> | null;
  /** Sampling parameters, limits, number of runs. */
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly scorers: readonly string[];
}

export interface LogHeader {
  readonly type: 'header';
  readonly schema_version: 1;
  readonly started_at: string;
  readonly identity: RunIdentity;
  /** Facts for reports that are no part of the identity. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** @throws RunLogError naming everything that has changed, with both values */
export function requireSameIdentity(path: string, before: RunIdentity, now: RunIdentity): void {
  const changes = Object.keys({ ...before, ...now }).flatMap((part) =>
    differences(part, before[part as keyof RunIdentity], now[part as keyof RunIdentity]),
  );
  if (changes.length === 0) return;
  throw new RunLogError(
    path,
    `cannot be resumed, because this is not the same evaluation any more. Changed: ${changes.join('; ')}. ` +
      'Give it another output, or begin anew with --fresh',
    { changes },
  );
}

function differences(path: string, before: unknown, now: unknown): string[] {
  if (isPlain(before) && isPlain(now)) {
    return Object.keys({ ...before, ...now }).flatMap((key) => differences(`${path}.${key}`, before[key], now[key]));
  }
  const [was, is] = [canonical(before), canonical(now)];
  return was === is ? [] : [`${path} was ${was ?? 'not set'}, is ${is ?? 'not set'}`];
}

function canonical(value: unknown): string | undefined {
  return JSON.stringify(value, (_key, field: unknown) =>
    isPlain(field) ? Object.fromEntries(Object.entries(field).sort(([a], [b]) => (a < b ? -1 : 1))) : field,
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
