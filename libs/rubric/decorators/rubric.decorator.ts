import 'reflect-metadata';
import type { RubricRequest } from '../rubric.request.js';

/** What `@Rubric` takes: how to judge, and what the score counts for. */
export interface RubricOptions extends Omit<
  RubricRequest,
  'rubric' | 'solutionStr' | 'groundTruth' | 'originalInput' | 'metadata' | 'cancellation'
> {
  /** Name of the reward component. Default: the property's, method's or class's name. */
  readonly id?: string;
  /** The instructions to score by. May be left out on a property or method that gives them. */
  readonly rubric?: string;
  /** Default 1. */
  readonly weight?: number;
  /** Names of the agents it scores. Default: every agent of the class, or of the application for another provider. */
  readonly agents?: readonly string[];
}

export type RubricTarget = 'class' | 'method' | 'property';

/** One `@Rubric` as it was written down. Frozen. */
export interface RubricMetadata extends RubricOptions {
  readonly id: string;
  readonly target: RubricTarget;
  /** Undefined for a class. */
  readonly member: string | undefined;
}

/** Own list of each class: properties have no place on a prototype where a scan could find them. */
export const RUBRICS_KEY = 'osmosis:rubrics';

/**
 * Makes a judge a reward component.
 *
 * - on a class: `rubric` is given in the options;
 * - on a property: its text is the rubric, unless the options give one;
 * - on a method: called with the trajectory, returns the rubric's text or fields of a {@link RubricRequest} that go over
 *   the options (`groundTruth`, `metadata`, …).
 */
export function Rubric(options: RubricOptions = {}): ClassDecorator & PropertyDecorator & MethodDecorator {
  return (target: object, member?: string | symbol, descriptor?: PropertyDescriptor): void => {
    const onClass = member === undefined;
    const type = onClass ? (target as { name: string }) : (target.constructor as { name: string });
    const name = onClass ? type.name : String(member);
    const metadata: RubricMetadata = Object.freeze({
      ...options,
      id: options.id?.trim() || name,
      agents: options.agents && Object.freeze([...options.agents]),
      target: onClass ? 'class' : typeof descriptor?.value === 'function' ? 'method' : 'property',
      member: onClass ? undefined : name,
    });
    const known = (Reflect.getOwnMetadata(RUBRICS_KEY, type) ?? []) as readonly RubricMetadata[];
    Reflect.defineMetadata(RUBRICS_KEY, Object.freeze([...known, metadata]), type);
  };
}

/**
 * Rubrics of a class. Those of members are inherited, parents first, and a child's declaration of the same member replaces
 * its parent's; one on a class is not inherited.
 */
export function rubricsOf(type: object): readonly RubricMetadata[] {
  const found = new Map<string, RubricMetadata>();
  for (const ancestor of ancestry(type)) {
    const own = (Reflect.getOwnMetadata(RUBRICS_KEY, ancestor) ?? []) as readonly RubricMetadata[];
    for (const metadata of own) {
      if (metadata.target === 'class' && ancestor !== type) continue;
      found.set(`${metadata.target === 'class' ? 'class' : 'member'} ${metadata.member ?? metadata.id}`, metadata);
    }
  }
  return [...found.values()];
}

function ancestry(type: object): object[] {
  const result: object[] = [];
  let current: object | null = type;
  while (current && current !== Function.prototype) {
    result.unshift(current);
    current = Object.getPrototypeOf(current) as object | null;
  }
  return result;
}
