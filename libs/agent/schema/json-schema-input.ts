import { describeThrown, type JsonSchema } from '#domain';
import { deepFreeze } from './deep-freeze.js';
import { InputDefinitionError } from './input-definition.error.js';
import { compileJsonSchema } from './schema-compiler.js';
import type { ToolInput } from './tool-input.types.js';
import { findWildValues } from './wild-values.js';

/**
 * The input of a tool that brings a JSON Schema; the tool gets the arguments as they are. The schema decides by its own
 * `additionalProperties` about unknown keys, and its `default`s are for the model to read.
 *
 * @throws InputDefinitionError for a schema of something other than an object, or one that ajv cannot compile
 */
export function jsonSchemaInput(source: JsonSchema): ToolInput {
  const schema = objectSchema(source);
  const findFaults = compileOrRefuse(schema);
  return {
    schema,
    check: (args) => {
      const wild = findWildValues(args);
      const faults = wild.length > 0 ? wild : findFaults(args);
      return faults.length > 0 ? { ok: false, faults } : { ok: true, value: args };
    },
  };
}

/** A frozen copy, completed to what every tool's schema has: `type: 'object'` and `properties`. */
export function objectSchema(source: JsonSchema): JsonSchema {
  const type = source['type'] ?? 'object';
  if (type !== 'object') {
    const what = `the JSON Schema of the input has the type ${JSON.stringify(type)}`;
    throw new InputDefinitionError(what, "Arguments are one object: use type: 'object', with the value as a property");
  }
  if (source['$async'] === true) {
    const cure = 'Drop $async, or pass a Standard Schema, which may check asynchronously';
    throw new InputDefinitionError('the JSON Schema of the input is marked $async', cure);
  }
  try {
    const copy = JSON.parse(JSON.stringify(source)) as JsonSchema;
    return deepFreeze({ ...copy, type, properties: copy['properties'] ?? {} });
  } catch (error) {
    const what = `the JSON Schema of the input has no JSON form: ${describeThrown(error)}`;
    throw new InputDefinitionError(what, 'Use plain objects only, and $ref for recursion', { cause: error });
  }
}

function compileOrRefuse(schema: JsonSchema): ReturnType<typeof compileJsonSchema> {
  try {
    return compileJsonSchema(schema);
  } catch (error) {
    throw new InputDefinitionError(
      `the JSON Schema of the input cannot be compiled: ${describeThrown(error)}`,
      'Mend the schema; it is read as JSON Schema 2020-12, or as draft-07 when its $schema says so',
      { cause: error },
    );
  }
}
