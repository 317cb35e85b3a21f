import { describeThrown, type JsonSchema } from '#domain';
import { InputDefinitionError } from './input-definition.error.js';
import { formatPath } from './input-path.js';
import { objectSchema } from './json-schema-input.js';
import { MAX_FAULTS, type InputCheck, type ToolInput } from './tool-input.types.js';
import { findWildValues } from './wild-values.js';

/** The parts used here of Standard Schema v1 and Standard JSON Schema v1 (standardschema.dev). */
export interface StandardSchema {
  readonly '~standard': {
    validate(value: unknown): StandardResult | Promise<StandardResult>;
    readonly jsonSchema?: { input(options: { readonly target: string }): unknown };
  };
}

interface StandardResult {
  readonly value?: unknown;
  readonly issues?: readonly StandardIssue[];
}

interface StandardIssue {
  readonly message: string;
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[];
}

/** True for the schemas of Zod, Valibot, ArkType and all others that follow the standard; some are functions. */
export function isStandardSchema(source: unknown): source is StandardSchema {
  if ((typeof source !== 'object' && typeof source !== 'function') || source === null) return false;
  const standard = (source as { readonly '~standard'?: { readonly validate?: unknown } })['~standard'];
  return typeof standard?.validate === 'function';
}

/**
 * The input of a tool that brings a Standard Schema; the tool gets what the schema makes of the arguments. The schema
 * decides about unknown keys and about defaults.
 *
 * @param jsonSchema for libraries that cannot tell it
 * @throws InputDefinitionError when there is no JSON Schema to be had
 */
export function standardInput(source: StandardSchema, jsonSchema: unknown = jsonSchemaFrom(source)): ToolInput {
  if (!isObject(jsonSchema)) {
    const what = 'the schema of the input validates, but cannot tell its JSON Schema';
    throw new InputDefinitionError(what, 'Pass both: @Tool({ input: { schema, jsonSchema } })');
  }
  const { validate } = source['~standard'];
  return {
    schema: objectSchema(jsonSchema),
    check: (args) => {
      const wild = findWildValues(args);
      if (wild.length > 0) return { ok: false, faults: wild };
      const result = validate(args);
      return result instanceof Promise ? result.then(checkOf) : checkOf(result);
    },
  };
}

function checkOf(result: StandardResult): InputCheck {
  if (!result.issues) return { ok: true, value: result.value };
  const faults = result.issues.slice(0, MAX_FAULTS).map(({ message, path = [] }) => {
    const steps = path.map((step) => (typeof step === 'object' ? step.key : step));
    return { path: formatPath(steps), message };
  });
  return { ok: false, faults };
}

/** From the standard's own way, or else from the methods that libraries had before it. */
function jsonSchemaFrom(source: StandardSchema): unknown {
  const older = source as { toJSONSchema?(): unknown; toJsonSchema?(): unknown };
  const { jsonSchema } = source['~standard'];
  try {
    if (jsonSchema) return jsonSchema.input({ target: 'draft-2020-12' });
    return older.toJSONSchema?.() ?? older.toJsonSchema?.();
  } catch (error) {
    throw new InputDefinitionError(
      `the JSON Schema of the input cannot be made: ${describeThrown(error)}`,
      'Use only parts that JSON can carry, or pass both: @Tool({ input: { schema, jsonSchema } })',
      { cause: error },
    );
  }
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
