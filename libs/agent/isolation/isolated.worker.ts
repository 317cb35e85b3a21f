import 'reflect-metadata';
import { parentPort } from 'node:worker_threads';
import type { Class } from '#discovery';
import { describeThrown, OsmosisError } from '#domain';
import { reviveArguments } from './isolated.arguments.js';
import { ClassNotLoadedError, loadClass } from './isolated.class.js';
import {
  ANSWERED,
  BEGUN,
  type IsolatedAnswer,
  type IsolatedTask,
  type TaskAnswered,
  type TaskBegun,
} from './isolated.protocol.js';
import { sendable } from './isolated.result.js';

/** What a thread of the pool runs: one call of one isolated method. Sends its answer itself as well, and never rejects. */
export async function runIsolated(task: IsolatedTask): Promise<IsolatedAnswer> {
  const answer = await answerTo(task);
  parentPort?.postMessage({ answered: task.id, answer } satisfies TaskAnswered);
  Atomics.store(task.progress, 0, ANSWERED);
  return answer;
}

async function answerTo(task: IsolatedTask): Promise<IsolatedAnswer> {
  const missing = new Set<string>();
  try {
    const type = await loadClass(task);
    const self = bareInstance(type, missing);
    const method = self[task.methodName];
    if (typeof method !== 'function') throw new ClassNotLoadedError(`${type.name} has no method ${task.methodName}`);
    const args = reviveArguments(type, task);
    parentPort?.postMessage({ begun: task.id } satisfies TaskBegun);
    Atomics.store(task.progress, 0, BEGUN);
    const value = await (method.apply(self, args) as unknown);
    return { outcome: 'returned', value: sendable(value) };
  } catch (thrown) {
    if (thrown instanceof ClassNotLoadedError) return { outcome: 'not loaded', message: thrown.message };
    return threw(thrown, missing);
  }
}

/** An object with the class's methods and no fields: there is no injector here. Notes which fields were looked for. */
function bareInstance(type: Class, missing: Set<string>): Record<string, unknown> {
  return new Proxy(Object.create(type.prototype as object) as Record<string, unknown>, {
    get(target, key, receiver) {
      if (typeof key === 'string' && !(key in target)) missing.add(key);
      return Reflect.get(target, key, receiver) as unknown;
    },
  });
}

function threw(thrown: unknown, missing: ReadonlySet<string>): IsolatedAnswer {
  const known = OsmosisError.is(thrown) ? thrown : undefined;
  const message = describeThrown(thrown);
  return {
    outcome: 'threw',
    message: message + hint(message, missing),
    stack: thrown instanceof Error ? thrown.stack : undefined,
    code: known?.code,
    retryable: known?.retryable,
  };
}

/** Most of what fails only in a thread fails for this reason. */
function hint(message: string, missing: ReadonlySet<string>): string {
  if (missing.size === 0 && !/private|Receiver must be/.test(message)) return '';
  const fields = [...missing].map((name) => `this.${name}`).join(', ') || 'private fields';
  return ` (an isolated method has no injected or initialised fields; missing here: ${fields})`;
}
