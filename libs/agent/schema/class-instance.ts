import { isDeepStrictEqual } from 'node:util';
import type { Class } from '#discovery';
import { describeThrown } from '#domain';
import type { ClassModel, PropertyModel } from './class-model.js';
import { InputDefinitionError } from './input-definition.error.js';
import { joinPath } from './input-path.js';
import type { InputFault } from './tool-input.types.js';
import { classTransformer } from './validator-packages.js';

/** What property initialisers give. `value` is absent when it differs from time to time, or has no JSON form. */
export type Defaults = ReadonlyMap<string, { readonly value?: unknown }>;

/** @throws InputDefinitionError when the class cannot be constructed without arguments */
export function readDefaults(cls: Class): Defaults {
  let first: object, second: object;
  try {
    first = construct(cls);
    second = construct(cls);
  } catch (error) {
    throw new InputDefinitionError(
      `the constructor of ${cls.name} fails when it gets no arguments: ${describeThrown(error)}`,
      'A parameter class is filled property by property: give it no constructor, or one that needs no arguments',
      { cause: error },
    );
  }
  const again = new Map(Object.entries(second));
  const initial = Object.entries(first).filter(([, value]) => value !== undefined);
  return new Map(
    initial.map(([name, value]) => {
      const json = jsonForm(value);
      return [name, json !== undefined && isDeepStrictEqual(json, jsonForm(again.get(name))) ? { value: json } : {}];
    }),
  );
}

/** A copy; undefined for null and for what JSON would lose or change. Instances of a parameter class count as their fields. */
export function jsonForm(value: unknown): unknown {
  if (value === null || typeof value === 'function' || typeof value === 'symbol') return undefined;
  if (value instanceof Map || value instanceof Set || value instanceof Date) return undefined;
  try {
    const json: unknown = JSON.parse(JSON.stringify(value));
    return json === null ? undefined : json;
  } catch {
    return undefined;
  }
}

/**
 * An instance of the model's class with the arguments in it: nested classes are instances too, dates are dates,
 * `@Transform` has been applied. Initialisers run; what is absent, or a null that means absent, leaves them alone.
 * Takes only what the model knows, so a key like `__proto__` reaches no object.
 *
 * The values must have passed the model's schema. What still proves wrong is added to `faults`.
 */
export function buildInstance(
  model: ClassModel,
  source: Readonly<Record<string, unknown>>,
  faults: InputFault[],
  path = '',
): object {
  const instance = construct(model.cls) as Record<string, unknown>;
  for (const property of model.properties) {
    if (!Object.hasOwn(source, property.name)) continue;
    const value = source[property.name];
    if (value === undefined || (value === null && property.nullIsAbsent)) continue;
    instance[property.name] = property.asIs ? value : convert(property, source, faults, path);
  }
  return instance;
}

function convert(
  property: PropertyModel,
  source: Readonly<Record<string, unknown>>,
  faults: InputFault[],
  parentPath: string,
): unknown {
  const path = joinPath(parentPath, property.name);
  const raw = source[property.name];
  const value =
    property.list && Array.isArray(raw)
      ? raw.map((item, index) => convertOne(property, item, faults, joinPath(path, index)))
      : convertOne(property, raw, faults, path);
  try {
    return property.transforms.reduce<unknown>(
      (before, { transformFn }) =>
        transformFn({
          value: before,
          key: property.name,
          obj: source,
          type: classTransformer().TransformationType.PLAIN_TO_CLASS,
          options: {},
        }) as unknown,
      value,
    );
  } catch (error) {
    faults.push({ path, message: `cannot be used: ${describeThrown(error)}` });
    return undefined;
  }
}

function convertOne(property: PropertyModel, value: unknown, faults: InputFault[], path: string): unknown {
  if (property.nested && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return buildInstance(property.nested, value as Record<string, unknown>, faults, path);
  }
  if (property.isDate && typeof value === 'string') return toDate(value, faults, path);
  return value;
}

/** `Date` itself reads nearly anything ("soon 2"): ask for the shape of ISO 8601 first. */
function toDate(text: string, faults: InputFault[], path: string): Date {
  const date = new Date(/^\d{4}-\d\d-\d\d/.test(text) ? text : NaN);
  if (Number.isNaN(date.getTime())) faults.push({ path, message: 'must be a date like 2025-01-31T12:00:00Z' });
  return date;
}

/** At run time an abstract class is a class like any other. */
function construct(cls: Class): object {
  return new (cls as new () => object)();
}
