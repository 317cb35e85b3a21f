import type { Ajv, Options } from 'ajv';
import type * as AjvDraft7 from 'ajv';
import type * as AjvDraft2020 from 'ajv/dist/2020.js';
import type AjvFormats from 'ajv-formats';
import { onDemand, type JsonSchema } from '#domain';
import { faultsOfErrors } from './ajv-faults.js';
import type { InputFault } from './tool-input.types.js';

type Ajv2020 = AjvDraft2020.Ajv2020;

const draft7 = onDemand<typeof AjvDraft7>('ajv');
const draft2020 = onDemand<typeof AjvDraft2020>('ajv/dist/2020.js');
const formats = onDemand<typeof AjvFormats>('ajv-formats');

/** The faults of some arguments; none when they fit. */
export type SchemaCheck = (args: Record<string, unknown>) => readonly InputFault[];

const NO_FAULTS: readonly InputFault[] = Object.freeze([]);

const OPTIONS: Options = {
  allErrors: true,
  // Errors carry the schema they broke, which the wording needs.
  verbose: true,
  // Keywords that ajv does not know are for the model to read.
  strict: false,
  strictNumbers: true,
  // A required `toString` is not met by the one that every object has.
  ownProperties: true,
  logger: false,
};

/** Each takes milliseconds to make, so each is made when first needed. */
const compilers = {
  class: once(() => precise(new (draft2020().Ajv2020)({ ...OPTIONS, unicodeRegExp: false }))),
  draft7: once(() => withFormats(precise(new (draft7().Ajv)(OPTIONS)))),
  draft2020: once(() => withFormats(precise(new (draft2020().Ajv2020)(OPTIONS)))),
};

/** For schemas written from classes: patterns are JavaScript's, and formats are left to class-validator. */
export function compileClassSchema(schema: JsonSchema): SchemaCheck {
  return compile(compilers.class(), schema);
}

/**
 * By `$schema` draft-07 or 2020-12; 2020-12 without one.
 *
 * @throws Error of ajv, for a schema that it cannot compile
 */
export function compileJsonSchema(schema: JsonSchema): SchemaCheck {
  const dialect = schema['$schema'];
  const isDraft7 = typeof dialect === 'string' && dialect.includes('draft-07');
  return compile(isDraft7 ? compilers.draft7() : compilers.draft2020(), schema);
}

function compile(ajv: Ajv | Ajv2020, schema: JsonSchema): SchemaCheck {
  try {
    const validate = ajv.compile(schema);
    return (args) => (validate(args) ? NO_FAULTS : faultsOfErrors(validate.errors ?? [], args));
  } finally {
    // Two tools may bring schemas of one `$id`.
    ajv.removeSchema(schema);
  }
}

/** ajv divides, by which 0.07 is no multiple of 0.01. */
function precise<Compiler extends Ajv | Ajv2020>(ajv: Compiler): Compiler {
  ajv.removeKeyword('multipleOf');
  ajv.addKeyword({ keyword: 'multipleOf', type: 'number', schemaType: 'number', validate: isMultiple });
  return ajv;
}

function isMultiple(step: number, value: number): boolean {
  if (value % step === 0) return true;
  return !Number.isInteger(step) && Number((Math.round(value / step) * step).toPrecision(15)) === value;
}

function withFormats<Compiler extends Ajv | Ajv2020>(ajv: Compiler): Compiler {
  formats().default(ajv);
  return ajv;
}

function once<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => (value ??= make());
}
