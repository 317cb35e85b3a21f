import type { Type } from '@nestjs/common';
import { AGENT_METADATA } from '#agent';
import { ValidationIssue } from './validation.report.js';

/** What can be seen of an agent class before it is instantiated: its name and how its loop is written (spec 6). */
export function checkAgentClass(type: Type): ValidationIssue[] {
  const { name } = (Reflect.getOwnMetadata(AGENT_METADATA, type) ?? {}) as { readonly name?: unknown };
  return [...nameIssues(name, type.name), ...runIssues(type)];
}

function nameIssues(name: unknown, where: string): ValidationIssue[] {
  const cure = "Write @Agent({ name: 'my-agent' }).";
  if (name === undefined || name === null) {
    return [new ValidationIssue('error', 'MISSING_NAME', `the agent has no name. ${cure}`, 'name', where)];
  }
  if (typeof name !== 'string') {
    const message = `'name' must be a string, not ${typeof name}. ${cure}`;
    return [new ValidationIssue('error', 'INVALID_NAME_TYPE', message, 'name', where)];
  }
  if (name.trim() !== '') return [];
  return [
    new ValidationIssue('error', 'EMPTY_NAME', `'name' cannot be empty or white space only. ${cure}`, 'name', where),
  ];
}

function runIssues(type: Type): ValidationIssue[] {
  const run: unknown = (type.prototype as { readonly run?: unknown }).run;
  if (run === undefined || run === null) return [];
  if (typeof run !== 'function') {
    const message =
      "'run' must be a method. Write async run(ctx: RolloutContext) { … }, or leave it out for the built-in loop.";
    return [new ValidationIssue('error', 'RUN_NOT_CALLABLE', message, 'run', type.name)];
  }
  if (isAsync(run)) return [];
  const message = "'run' must be async. Write async run(ctx: RolloutContext) { … }.";
  return [new ValidationIssue('error', 'RUN_NOT_ASYNC', message, 'run', type.name)];
}

const AsyncFunction = (async () => {}).constructor;
/** Calls that compilers put in the place of `async` for old targets. */
const COMPILED_ASYNC = /\b(__awaiter|_?asyncToGenerator|_async_to_generator)\b/;

function isAsync(run: object): boolean {
  return run instanceof AsyncFunction || COMPILED_ASYNC.test(Function.prototype.toString.call(run));
}

/** `run = async (ctx) => …` is a field: the built-in loop would serve instead, and nobody would know why. */
export function checkAgentInstance(instance: object, type: { readonly name: string }): ValidationIssue[] {
  if (!Object.hasOwn(instance, 'run') || typeof (instance as { run: unknown }).run !== 'function') return [];
  const message =
    "'run' is a field that holds a function, which is not seen. Write it as a method: async run(ctx) { … }.";
  return [new ValidationIssue('error', 'MISSING_RUN_METHOD', message, 'run', type.name)];
}
