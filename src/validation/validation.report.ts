import { OsmosisError } from '#domain';

/** One thing that is wrong, or odd. */
export class ValidationIssue {
  constructor(
    readonly level: 'error' | 'warning',
    /** Stable: spec 6 where it has a code for it. */
    readonly code: string,
    readonly message: string,
    /** Part of the definition, like `tools[0].function.name`. */
    readonly field?: string,
    /** `Class.method`, `Class`, or the agent's name. */
    readonly where?: string,
    readonly details?: Readonly<Record<string, unknown>>,
  ) {}

  /** `[CODE] field: message` (spec 6). */
  get text(): string {
    const field = this.field === undefined ? '' : ` ${this.field}:`;
    const where = this.where === undefined ? '' : ` (${this.where})`;
    return `[${this.code}]${field} ${this.message}${where}`;
  }

  toJSON(): object {
    const { level, code, message, field, where, details } = this;
    return { level, code, message, field, where, details };
  }
}

export interface AgentSummary {
  readonly name: string;
  readonly tools: readonly string[];
  readonly rewards: readonly string[];
}

export interface ValidationReport {
  /** True when no issue is an error. */
  readonly valid: boolean;
  readonly issues: readonly ValidationIssue[];
  /** Empty when the application could not be started. */
  readonly agents: readonly AgentSummary[];
}

export function reportOf(issues: readonly ValidationIssue[], agents: readonly AgentSummary[]): ValidationReport {
  return { valid: errorsOf(issues).length === 0, issues, agents };
}

export function errorsOf(issues: readonly ValidationIssue[]): ValidationIssue[] {
  return issues.filter(({ level }) => level === 'error');
}

/** @throws OsmosisError DEFINITION_INVALID that lists every error (`raise_if_invalid` of spec 6) */
export function requireValid({ issues }: ValidationReport): void {
  const errors = errorsOf(issues);
  if (errors.length > 0)
    throw new OsmosisError('DEFINITION_INVALID', invalidText(errors), { details: { issues: errors } });
}

export function invalidText(errors: readonly ValidationIssue[]): string {
  return `Agent loop validation failed with ${errors.length} error(s):\n${errors.map(({ text }) => `  - ${text}`).join('\n')}`;
}
