import { OsmosisError, systemClock, type Clock } from '#domain';
import { isolationDefaults, type IsolationOptions } from './isolation/isolation.options.js';

export const AGENT_OPTIONS = Symbol('AGENT_OPTIONS');

export interface ToolLimits {
  /** Milliseconds a tool may take unless it says otherwise. Default 60,000. */
  readonly timeoutMs: number;
  /** Tools of one turn that run side by side. Default 16. */
  readonly concurrency: number;
}

export interface AgentModuleOptions {
  readonly tools: ToolLimits;
  readonly isolation: IsolationOptions;
  /** The agent behind `/v1/rollout/init` when there are several; `@Agent({ default: true })` says the same. */
  readonly defaultAgent: string | undefined;
  readonly clock: Clock;
}

export interface AgentModuleInput {
  readonly tools?: Partial<ToolLimits>;
  /** Threads of methods with `isolate: true`, and the watch over blocking code. */
  readonly isolation?: Partial<IsolationOptions>;
  readonly defaultAgent?: string;
  readonly clock?: Clock;
}

/** @throws OsmosisError CONFIG_INVALID for limits that are no positive numbers (case LC-10) */
export function agentOptions(input: AgentModuleInput = {}): AgentModuleOptions {
  const tools = { timeoutMs: 60_000, concurrency: 16, ...definedOnly(input.tools) };
  requirePositive('tools.timeoutMs', tools.timeoutMs);
  requirePositive('tools.concurrency', tools.concurrency);
  const isolation = { ...isolationDefaults(), ...definedOnly(input.isolation) };
  requireThreads(isolation.threads);
  requirePositive('isolation.lagWarnMs', isolation.lagWarnMs);
  if (isolation.maxHeapMb !== undefined) requirePositive('isolation.maxHeapMb', isolation.maxHeapMb);
  return { tools, isolation, defaultAgent: input.defaultAgent, clock: input.clock ?? systemClock };
}

/** @throws OsmosisError CONFIG_INVALID */
export function requirePositive(name: string, value: unknown): void {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) return;
  throw new OsmosisError('CONFIG_INVALID', `${name} must be a positive number, not ${String(value)}.`);
}

function requireThreads(threads: unknown): void {
  if (Number.isInteger(threads) && (threads as number) >= 0) return;
  throw new OsmosisError(
    'CONFIG_INVALID',
    `isolation.threads must be a whole number from 0, not ${String(threads)}. 0 isolates nothing.`,
  );
}

function definedOnly<Options extends object>(options: Partial<Options> = {}): Partial<Options> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<Options>;
}
