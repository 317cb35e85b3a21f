import * as nestCommon from '@nestjs/common';
import * as nestCore from '@nestjs/core';
import { describeThrown, OsmosisError } from '#domain';
import * as osmosis from '#osmosis';
import type { LoadedModule } from '../loading/loaded-module.js';
import { notUsable } from '../loading/loading.error.js';

/** Turns what stopped an application from starting into an error that says what to do. */
export function explainStartFailure(loaded: LoadedModule, thrown: unknown): unknown {
  if (OsmosisError.is(thrown)) return thrown;
  const text = describeThrown(thrown);
  if (loaded.kind === 'agent' && isUnknownDependency(thrown)) {
    const missing = missingDependencies(loaded.target).join(', ') || firstLine(text);
    return notUsable(
      `${loaded.label} cannot be made: it injects ${missing}, and nobody provides that. ` +
        'Pass a Nest module that has both among its providers: -m src/app.module.ts:AppModule.',
      { cause: thrown },
    );
  }
  if (isUnknownDependency(thrown)) {
    return notUsable(`${loaded.label} cannot be started: ${firstLine(text)}`, { cause: thrown });
  }
  return notUsable(
    `${loaded.label} cannot be started: ${text.replace(/\.$/, '')}. --debug shows where it was thrown.`,
    { cause: thrown },
  );
}

/** By name, because the application may have its own copy of Nest. */
function isUnknownDependency(thrown: unknown): boolean {
  return (
    thrown instanceof Error && /^(UnknownDependencies|UndefinedDependency)Exception$/.test(thrown.constructor.name)
  );
}

/** What the class's constructor takes that neither Nest nor this package gives to everybody. */
function missingDependencies(type: object): string[] {
  const types = (Reflect.getMetadata('design:paramtypes', type) ?? []) as unknown[];
  const tokens = [...types];
  for (const { index, param } of (Reflect.getMetadata('self:paramtypes', type) ?? []) as InjectedParameter[]) {
    tokens[index] = param;
  }
  const given = new Set<unknown>([nestCommon, nestCore, osmosis].flatMap((module) => Object.values<unknown>(module)));
  return tokens.filter((token) => !given.has(token)).map(nameOf);
}

interface InjectedParameter {
  readonly index: number;
  readonly param: unknown;
}

function nameOf(token: unknown): string {
  if (token === Object || token === undefined) return 'something without a class (an interface, or a circular import)';
  if (typeof token === 'function') return token.name;
  return typeof token === 'symbol' || typeof token === 'string' ? String(token) : 'an unnamed provider';
}

function firstLine(text: string): string {
  return text.split('\n')[0] ?? text;
}
