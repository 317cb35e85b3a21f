import type { Class } from '#discovery';
import { jsonForm, readDefaults, type Defaults } from './class-instance.js';
import {
  designType,
  isParameterClass,
  namedType,
  refuseOtherName,
  rulesByProperty,
  transformsOf,
  type RuleMetadata,
} from './class-metadata.js';
import type { ClassModel, PropertyModel } from './class-model.js';
import { valueFacts } from './class-rules.js';
import { classDescription, describedProperties, propertyNotes } from './describe.decorator.js';
import { add, jsonTypeOf, pairOf, typeFacts } from './facts-pair.js';
import { InputDefinitionError } from './input-definition.error.js';
import { classValidator } from './validator-packages.js';

/**
 * Reads a parameter class, and the classes it is made of.
 *
 * A property with no rule does not exist. One is required unless it has `@IsOptional`, an initialiser, `@ValidateIf`,
 * or nothing but `@Allow`.
 *
 * @throws InputDefinitionError for a class that cannot be described, naming class and property
 */
export function readClassModel(cls: Class, known = new Map<Class, ClassModel>()): ClassModel {
  const before = known.get(cls);
  if (before) return before;
  const rules = rulesByProperty(cls);
  const bare = describedProperties(cls).find((name) => !rules.has(name));
  if (bare !== undefined) {
    const cure = 'Add what it has to be, e.g. @IsString(), or @Allow() for anything';
    throw new InputDefinitionError(`${cls.name}.${bare} is described, but has no rule`, cure);
  }
  if (rules.size === 0) {
    const cure = 'Give its properties class-validator decorators such as @IsString(), or pass @Tool({ input })';
    throw new InputDefinitionError(`the class ${cls.name || '(without a name)'} describes no property`, cure);
  }
  const properties: PropertyModel[] = [];
  const model: ClassModel = { cls, description: classDescription(cls), properties };
  // Known before its properties are read, so that a recursive class finds itself.
  known.set(cls, model);
  const defaults = readDefaults(cls);
  for (const [name, metadata] of rules) properties.push(readProperty(cls, name, metadata, defaults, known));
  return model;
}

function readProperty(
  cls: Class,
  name: string,
  metadata: readonly RuleMetadata[],
  defaults: Defaults,
  known: Map<Class, ClassModel>,
): PropertyModel {
  const { IS_DATE, IS_OPTIONAL, ValidationTypes } = classValidator();
  refuseOtherName(cls, name);
  const notes = propertyNotes(cls, name);
  const written = designType(cls, name);
  const type = namedType(cls, name) ?? written;
  const conditions = metadata.filter((rule) => rule.type === ValidationTypes.CONDITIONAL_VALIDATION);
  const optional = conditions.some((rule) => rule.name === IS_OPTIONAL);
  const conditional = conditions.some((rule) => rule.name !== IS_OPTIONAL);
  const transforms = transformsOf(cls, name);
  const opaque = conditional || transforms.length > 0;

  const value = pairOf(metadata.filter((rule) => !rule.each));
  const items = pairOf(metadata.filter((rule) => rule.each));
  add(value, notes.values && valueFacts('allows', notes.values));
  add(items, notes.itemValues && valueFacts('allows', notes.itemValues));
  const list =
    written === Array ||
    metadata.some((rule) => rule.each) ||
    value.published.some((facts) => facts.types?.includes('array'));
  const isDate = type === Date || metadata.some((rule) => rule.name === IS_DATE);
  const nested = nestedModel(cls, name, metadata, type, known);

  const inner = list ? items : value;
  if (list) add(value, typeFacts('array'));
  if (nested) add(inner, typeFacts('object'));
  else if (isDate) add(inner, { types: ['string'], keywords: { format: 'date-time' }, exact: true });
  else if (!inner.published.some((facts) => facts.types ?? facts.allows)) add(inner, typeFacts(jsonTypeOf(type)));

  return {
    name,
    description: notes.description,
    example: jsonForm(notes.example),
    defaultValue: defaults.get(name)?.value,
    value,
    items,
    list,
    nested,
    isDate,
    required: !optional && !conditional && !defaults.has(name) && !onlyAllowed(metadata),
    nullIsAbsent: (optional || defaults.has(name)) && !value.published.some((facts) => facts.allows?.includes(null)),
    opaque,
    transforms,
    asIs: !nested && !isDate && transforms.length === 0,
    exact: !opaque && [...value.published, ...items.published].every((facts) => facts.exact),
  };
}

function nestedModel(
  cls: Class,
  name: string,
  metadata: readonly RuleMetadata[],
  type: unknown,
  known: Map<Class, ClassModel>,
): ClassModel | undefined {
  const demanded = metadata.some((rule) => rule.type === classValidator().ValidationTypes.NESTED_VALIDATION);
  if (!demanded && namedType(cls, name) === undefined) return undefined;
  if (isParameterClass(type)) return readClassModel(type, known);
  if (!demanded) return undefined;
  const what = `${cls.name}.${name} has @ValidateNested, but its class is not known`;
  throw new InputDefinitionError(what, 'Name it: @Type(() => Item), from class-transformer');
}

function onlyAllowed(metadata: readonly RuleMetadata[]): boolean {
  return metadata.every((rule) => rule.type === classValidator().ValidationTypes.WHITELIST);
}
