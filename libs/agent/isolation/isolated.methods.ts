import { Inject, Injectable, Logger } from '@nestjs/common';
import { DefinitionProblems, type ProviderDescriptor } from '#discovery';
import { describeThrown, OsmosisError } from '#domain';
import { AGENT_OPTIONS, type AgentModuleOptions } from '../agent.options.js';
import { isLocated, locateClass, type ClassLocation } from './class.location.js';
import type { IsolatedAnswer } from './isolated.protocol.js';
import { isUnsendable, ThreadEndedError } from './thread.end.js';
import { ThreadPool } from './thread.pool.js';

/** A decorated method that is to run in a thread. */
export interface IsolatedMethod {
  readonly provider: ProviderDescriptor;
  readonly methodName: string;
  /** What `callingFiles` told the decorator. */
  readonly files: readonly string[];
  /** Milliseconds from the start of the method in its thread. */
  readonly limitMs: number;
  /** The error for a method that was ended at its limit. */
  timedOut(): OsmosisError;
  /** The error for one that failed otherwise. */
  failed(message: string, cause?: unknown): OsmosisError;
}

/** Runs the method in a thread. Ends it when the signal fires. */
export type IsolatedRun = (args: readonly unknown[], signal: AbortSignal) => Promise<unknown>;

/** Makes methods run in threads, and reports those that could not. */
@Injectable()
export class IsolatedMethods {
  private readonly logger = new Logger('Isolation');

  constructor(
    private readonly pool: ThreadPool,
    private readonly problems: DefinitionProblems,
    @Inject(AGENT_OPTIONS) private readonly options: AgentModuleOptions,
  ) {}

  /** Whether there are threads to run in. */
  get enabled(): boolean {
    return this.options.isolation.threads > 0;
  }

  prepare(method: IsolatedMethod): IsolatedRun {
    const location = this.locate(method);
    return async (args, signal) => this.run(method, await location, args, signal);
  }

  /** The start waits for it, and reports what is wrong. */
  private locate({ provider, methodName, files }: IsolatedMethod): Promise<ClassLocation> {
    const located = locateClass(provider.type, files);
    const where = `${provider.type.name}.${methodName}`;
    this.problems.reportLater(
      located.then((found) => (isLocated(found) ? [] : [{ ...found, where, module: provider.module }])),
    );
    return located.then((found) => (isLocated(found) ? found : { files, exportName: provider.type.name }));
  }

  private async run(
    method: IsolatedMethod,
    location: ClassLocation,
    args: readonly unknown[],
    signal: AbortSignal,
  ): Promise<unknown> {
    const task = { ...location, methodName: method.methodName, args, inputIsInstance: isInstance(args[0]) };
    const call = { task, signal, limitMs: method.limitMs, timedOut: () => method.timedOut() };
    try {
      return this.valueOf(await this.pool.run(call), method);
    } catch (error) {
      throw this.inWords(error, method);
    }
  }

  private valueOf(answer: IsolatedAnswer, method: IsolatedMethod): unknown {
    if (answer.outcome === 'returned') return answer.value;
    if (answer.outcome === 'not loaded') {
      this.logger.error(answer.message);
      throw method.failed(answer.message);
    }
    const { message, code, retryable, stack } = answer;
    const cause = Object.assign(new Error(message), { stack });
    throw code ? new OsmosisError(code, message, { retryable, cause }) : method.failed(message, cause);
  }

  private inWords(error: unknown, method: IsolatedMethod): unknown {
    const where = `${method.provider.type.name}.${method.methodName}`;
    if (error instanceof ThreadEndedError) {
      this.logger.warn(`${where} ${error.message}`);
      return method.failed(`${where} ${error.message}`, error);
    }
    if (isUnsendable(error)) {
      return method.failed(`${where} is isolated, and its arguments cannot be sent: ${describeThrown(error)}`, error);
    }
    return error;
  }
}

function isInstance(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype !== null && prototype !== Object.prototype;
}
