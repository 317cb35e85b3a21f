import { isClass } from '#discovery';
import type { JsonSchema } from '#domain';
import { unknownKey } from './ajv-faults.js';
import { classInput } from './class-input.js';
import { isParameterClass } from './class-metadata.js';
import { deepFreeze } from './deep-freeze.js';
import { InputDefinitionError } from './input-definition.error.js';
import { jsonSchemaInput } from './json-schema-input.js';
import { isStandardSchema, standardInput, type StandardSchema } from './standard-input.js';
import { MAX_FAULTS, type ToolInput } from './tool-input.types.js';

const NO_PROPERTIES = {};

/** Of a tool without a parameter. Arguments are refused all the same (case TC-22): the tool could not heed them. */
export const NO_INPUT: ToolInput = Object.freeze({
  schema: deepFreeze({ type: 'object', properties: NO_PROPERTIES, additionalProperties: false }),
  check: (args: Record<string, unknown>) => {
    const faults = Object.keys(args).map((key) => unknownKey('', key, NO_PROPERTIES));
    if (faults.length > 0) return { ok: false, faults: faults.slice(0, MAX_FAULTS) } as const;
    return { ok: true, value: {} } as const;
  },
});

/**
 * The input of a tool, from what describes it: a class with class-validator's decorators, a Standard Schema, a pair
 * `{ schema, jsonSchema }` of a Standard Schema and the JSON Schema it cannot tell itself, or a JSON Schema.
 *
 * @throws InputDefinitionError for anything else, and for a description that is no good
 */
export function toolInputOf(source: unknown): ToolInput {
  if (isStandardSchema(source)) return standardInput(source);
  if (isParameterClass(source)) return classInput(source);
  if (isSchemaPair(source)) return standardInput(source.schema, source.jsonSchema);
  if (isPlainObject(source)) return jsonSchemaInput(source);
  throw new InputDefinitionError(
    describeSource(source),
    'Make the parameter a class with class-validator decorators, or pass a JSON Schema or a Standard Schema: @Tool({ input })',
  );
}

function describeSource(source: unknown): string {
  if (source === Object) {
    return 'the type of the input is lost at run time: interfaces, type aliases and inline types leave no trace';
  }
  if (source === undefined || source === null) {
    return `the type of the input is ${source} at run time: it is imported with 'import type', or in a circle`;
  }
  if (isClass(source)) return `the input has the type ${source.name}, but arguments are an object with named values`;
  return `the input is described by a value of the type ${Array.isArray(source) ? 'list' : typeof source}`;
}

function isSchemaPair(source: unknown): source is { readonly schema: StandardSchema; readonly jsonSchema: unknown } {
  return isPlainObject(source) && isStandardSchema(source['schema']) && 'jsonSchema' in source;
}

function isPlainObject(value: unknown): value is JsonSchema {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
