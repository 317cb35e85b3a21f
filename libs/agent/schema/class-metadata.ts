import type { TransformMetadata } from 'class-transformer';
import type { getMetadataStorage } from 'class-validator';
import { isClass, type Class } from '#discovery';
import { prototypeOf } from './describe.decorator.js';
import { InputDefinitionError } from './input-definition.error.js';
import { classTransformer, classValidator, transformerStorage } from './validator-packages.js';

/** One decorator of class-validator on one property. */
export type RuleMetadata = ReturnType<ReturnType<typeof getMetadataStorage>['getTargetValidationMetadatas']>[number];

const BUILT_IN: ReadonlySet<unknown> = new Set<unknown>([
  ...[Object, String, Number, Boolean, Symbol, BigInt, Function, Array, Map, Set, WeakMap, WeakSet, Promise],
  ...[Date, RegExp, Error, Buffer, ArrayBuffer, Uint8Array, URL, AbortSignal],
]);

/** True for a class that somebody wrote, which may hold arguments. */
export function isParameterClass(value: unknown): value is Class {
  return isClass(value) && !BUILT_IN.has(value);
}

/** The rules of each property, inherited ones included, as class-validator itself would apply them. */
export function rulesByProperty(cls: Class): ReadonlyMap<string, readonly RuleMetadata[]> {
  const rules = new Map<string, RuleMetadata[]>();
  for (const rule of classValidator().getMetadataStorage().getTargetValidationMetadatas(cls, '', true, false)) {
    if (isExcluded(cls, rule.propertyName)) continue;
    const before = rules.get(rule.propertyName);
    if (before) before.push(rule);
    else rules.set(rule.propertyName, [rule]);
  }
  return rules;
}

/** What the compiler wrote down: `Array` for every list, `Object` for unions and interfaces. */
export function designType(cls: Class, property: string): unknown {
  return Reflect.getMetadata('design:type', prototypeOf(cls), property);
}

/**
 * What `@Type` names: the class of a value, or of the items of a list.
 *
 * @throws InputDefinitionError for a choice between classes, and for a function that fails (a circular import)
 */
export function namedType(cls: Class, property: string): unknown {
  const where = `${cls.name}.${property}`;
  const metadata = transformerStorage().findTypeMetadata(cls, property);
  if (!metadata) return undefined;
  if (metadata.options?.discriminator) {
    const cure =
      'Describe the whole input by a JSON Schema or a Standard Schema (a union in Zod, say): @Tool({ input })';
    throw new InputDefinitionError(`the @Type of ${where} chooses between classes, which is not supported`, cure);
  }
  try {
    return metadata.typeFunction?.();
  } catch (error) {
    const cure = 'Return the class itself, and break the circular import if there is one';
    throw new InputDefinitionError(`the function in @Type of ${where} fails`, cure, { cause: error });
  }
}

/** The `@Transform`s that apply on the way in, in their order. */
export function transformsOf(cls: Class, property: string): readonly TransformMetadata[] {
  const transforms = transformerStorage().findTransformMetadatas(
    cls,
    property,
    classTransformer().TransformationType.PLAIN_TO_CLASS,
  );
  return transforms.filter(({ options }) => !options?.groups?.length);
}

/** @throws InputDefinitionError: a property has one name, which is also that of the argument */
export function refuseOtherName(cls: Class, property: string): void {
  const options = transformerStorage().findExposeMetadata(cls, property)?.options;
  if (!options?.name || options.name === property || options.toPlainOnly) return;
  const what = `${cls.name}.${property} is exposed by another name, '${options.name}'`;
  throw new InputDefinitionError(what, `Rename the property to '${options.name}', or drop the name from @Expose`);
}

function isExcluded(cls: Class, property: string): boolean {
  const exclusion = transformerStorage().findExcludeMetadata(cls, property);
  return exclusion !== undefined && exclusion.options?.toPlainOnly !== true;
}
