import { Injectable } from '@nestjs/common';
import { ApplicationConfig, ExternalContextCreator, type ContextId } from '@nestjs/core';
import { isObservable, lastValueFrom } from 'rxjs';
import type { InvocationScope } from './invocation.scope.js';
import type { ProviderDescriptor } from './provider.explorer.js';

/** Runs a decorated method within a rollout. */
export type BoundMethod = (scope: InvocationScope, ...args: readonly unknown[]) => Promise<unknown>;

/**
 * Runs in place of a bound method, which keeps its guards, interceptors, pipes and filters. Its `length` must be the number
 * of arguments that it is handed.
 */
export type StandIn = (...args: never[]) => Promise<unknown>;

type Method = (...args: unknown[]) => unknown;
type Handler = (...args: readonly unknown[]) => Promise<unknown>;

/** What an execution context says it is (`context.getType()`): all begin with `osmosis`. */
export type OsmosisContextType = 'osmosis:tool' | 'osmosis:reward' | 'osmosis:loop';

const PARAMETERS = 'osmosis:params';
const FIRST_PARAMETER = '3:0'; // 3 is Nest's RouteParamtypes.BODY: pipes treat the input like a request body
const CUSTOM_PARAMETER = '__customRouteArgs__';

/**
 * Makes methods of providers callable with everything that works on a controller's method: guards, interceptors, pipes,
 * filters, request scope. A method without any of them is called directly.
 */
@Injectable()
export class MethodInvoker {
  constructor(
    private readonly contexts: ExternalContextCreator,
    private readonly config: ApplicationConfig,
  ) {}

  bind(provider: ProviderDescriptor, methodName: string, type: OsmosisContextType, standIn?: StandIn): BoundMethod {
    if (provider.instance) {
      const handler = this.createHandler(provider.instance, provider, methodName, type, standIn);
      return (_scope, ...args) => handler(...args);
    }
    return async (scope, ...args) => {
      const instance = await scope.resolve(provider);
      const handler = this.createHandler(instance, provider, methodName, type, standIn, scope.contextIdFor(provider));
      return handler(...args);
    };
  }

  private createHandler(
    instance: object,
    provider: ProviderDescriptor,
    methodName: string,
    type: OsmosisContextType,
    standIn?: StandIn,
    contextId?: ContextId,
  ): Handler {
    const method = (instance as Record<string, Method>)[methodName];
    if (typeof method !== 'function') {
      throw new TypeError(`${provider.type.name}.${methodName} is no method of the instance Nest made`);
    }
    const callback = standIn ? inPlaceOf(method, standIn as Method) : method;
    if (!contextId && !this.isEnhanced(instance, callback)) return directly(instance, callback);
    const withPipes = this.hasEnhancer('__pipes__', instance, callback, this.globals().pipes);
    if (withPipes) defineParameters(provider, methodName, callback.length);
    return this.contexts.create(
      instance,
      callback,
      methodName,
      withPipes ? PARAMETERS : undefined,
      withPipes ? { exchangeKeyForValue: (_type: number, _data: unknown, args: unknown[]) => args[0] } : undefined,
      contextId,
      contextId && provider.id,
      {
        guards: true,
        interceptors: true,
        // Without a filter Nest's own would log each failure of a tool as an error of the application.
        filters: this.hasEnhancer('__exceptionFilters__', instance, callback, this.globals().filters),
      },
      type,
    ) as Handler;
  }

  private isEnhanced(instance: object, method: object): boolean {
    const { guards, interceptors, pipes, filters } = this.globals();
    return (
      this.hasEnhancer('__guards__', instance, method, guards) ||
      this.hasEnhancer('__interceptors__', instance, method, interceptors) ||
      this.hasEnhancer('__pipes__', instance, method, pipes) ||
      this.hasEnhancer('__exceptionFilters__', instance, method, filters)
    );
  }

  private globals(): { guards: boolean; interceptors: boolean; pipes: boolean; filters: boolean } {
    const config = this.config;
    return {
      guards: config.getGlobalGuards().length + config.getGlobalRequestGuards().length > 0,
      interceptors: config.getGlobalInterceptors().length + config.getGlobalRequestInterceptors().length > 0,
      pipes: config.getGlobalPipes().length + config.getGlobalRequestPipes().length > 0,
      filters: config.getGlobalFilters().length + config.getGlobalRequestFilters().length > 0,
    };
  }

  private hasEnhancer(key: string, instance: object, method: object, global: boolean): boolean {
    return global || Reflect.hasMetadata(key, method) || Reflect.hasMetadata(key, instance.constructor);
  }
}

/** What Nest does with nothing around the method, without its four asynchronous functions. */
function directly(instance: object, method: Method): Handler {
  return (...args) => {
    try {
      return Promise.resolve(method.apply(instance, args as unknown[])).then(lastValueOf);
    } catch (error) {
      return Promise.reject(error);
    }
  };
}

function lastValueOf(result: unknown): unknown {
  return isObservable(result) ? lastValueFrom(result) : result;
}

/** Nest reads enhancers, and guards read their own metadata, from the function that is called. */
function inPlaceOf(method: Method, standIn: Method): Method {
  const callback: Method = (...args) => standIn(...args);
  Object.defineProperties(callback, { name: { value: method.name }, length: { value: standIn.length } });
  for (const key of Reflect.getMetadataKeys(method) as unknown[]) {
    Reflect.defineMetadata(key, Reflect.getMetadata(key, method), callback);
  }
  return callback;
}

/** Tells Nest's pipes which argument is what: the first is a body, the others are custom, which pipes leave alone. */
function defineParameters(provider: ProviderDescriptor, methodName: string, count: number): void {
  if (Reflect.hasOwnMetadata(PARAMETERS, provider.type, methodName)) return;
  const parameters: Record<string, object> = { [FIRST_PARAMETER]: { index: 0, pipes: [] } };
  for (let index = 1; index < count; index++) {
    parameters[`${index}${CUSTOM_PARAMETER}:${index}`] = {
      index,
      factory: (_data: unknown, context: { getArgByIndex(at: number): unknown }) => context.getArgByIndex(index),
      pipes: [],
    };
  }
  Reflect.defineMetadata(PARAMETERS, parameters, provider.type, methodName);
}
