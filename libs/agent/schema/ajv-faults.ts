import type { ErrorObject } from 'ajv';
import { LONGEST_LIST, wording } from './fault-wording.js';
import { joinPath, pathOfPointer } from './input-path.js';
import { MAX_FAULTS, type InputFault } from './tool-input.types.js';

/** An error of a compiler set to `verbose`: with the schema that was broken. */
type SchemaError = ErrorObject<string, Readonly<Record<string, unknown>>, unknown>;

/** Keywords whose errors only repeat that another one was found. */
const REPEATS: ReadonlySet<string> = new Set(['if', 'propertyNames']);
/** Keywords under which errors are no faults: it was enough that one form, or one item, fits. */
const CHOICES: ReadonlySet<string> = new Set(['anyOf', 'oneOf', 'contains']);

/** What ajv found, worded for a model. */
export function faultsOfErrors(errors: readonly SchemaError[], args: unknown): readonly InputFault[] {
  const choices = errors.filter(({ keyword }) => CHOICES.has(keyword));
  const enumerated = new Set(errors.filter(({ keyword }) => keyword === 'enum').map((error) => error.instancePath));
  const faults = new Map<string, InputFault>();
  for (const error of errors) {
    if (faults.size === MAX_FAULTS) break;
    if (REPEATS.has(error.keyword)) continue;
    // "must be one of …" says the type as well.
    if (error.keyword === 'type' && enumerated.has(error.instancePath)) continue;
    if (choices.some((choice) => belongsTo(error, choice))) continue;
    const fault = CHOICES.has(error.keyword) ? choiceFault(error, errors, args) : faultOf(error, args);
    faults.set(`${fault.path}\n${fault.message}`, fault);
  }
  return [...faults.values()];
}

/** Whether an error comes from a form of the choice: found at its place or deeper, by a schema in it or referenced. */
function belongsTo(error: SchemaError, choice: SchemaError): boolean {
  if (error === choice || !`${error.instancePath}/`.startsWith(`${choice.instancePath}/`)) return false;
  const inside = error.schemaPath.startsWith(`${choice.schemaPath}/`);
  return inside || definitionOf(error.schemaPath) !== definitionOf(choice.schemaPath);
}

/** A referenced schema is named in errors by its own address, not by the way that led there. */
function definitionOf(schemaPath: string): string {
  return /^#\/(?:\$defs|definitions)\/[^/]+/.exec(schemaPath)?.[0] ?? schemaPath.slice(0, schemaPath.indexOf('#'));
}

function choiceFault(choice: SchemaError, errors: readonly SchemaError[], args: unknown): InputFault {
  const path = pathOfPointer(choice.instancePath, args);
  if (choice.keyword === 'contains') return faultOf(choice, args);
  if (Array.isArray(choice.params['passingSchemas'])) return { path, message: 'fits more than one of its forms' };
  const forms = errors
    .filter((error) => !CHOICES.has(error.keyword) && !REPEATS.has(error.keyword) && belongsTo(error, choice))
    .map((error) => faultOf(error, args))
    .map((fault) => (fault.path === path ? fault.message : `${fault.path} ${fault.message}`));
  return { path, message: [...new Set(forms)].slice(0, LONGEST_LIST).join(' or ') || 'fits none of its forms' };
}

function faultOf(error: SchemaError, args: unknown): InputFault {
  const path = pathOfPointer(error.instancePath, args);
  const { keyword, params, schema } = error;
  switch (keyword) {
    case 'required':
      return { path: joinPath(path, String(params['missingProperty'])), message: 'is required' };
    case 'dependentRequired':
    case 'dependencies': {
      const message = `is required next to ${String(params['property'])}`;
      return { path: joinPath(path, String(params['missingProperty'])), message };
    }
    case 'additionalProperties':
      return unknownKey(path, params['additionalProperty'], error.parentSchema?.['properties']);
    case 'unevaluatedProperties':
      return unknownKey(path, params['unevaluatedProperty'], undefined);
    default: {
      const message = wording(keyword, schema) ?? error.message ?? 'is not valid';
      const subject = error.propertyName === undefined ? '' : `the name ${JSON.stringify(error.propertyName)} `;
      return { path, message: subject + message };
    }
  }
}

/** @param properties of the schema that does not know the key; undefined when they cannot be told */
export function unknownKey(path: string, key: unknown, properties: unknown): InputFault {
  const known = typeof properties === 'object' && properties !== null ? Object.keys(properties) : undefined;
  const hint = known ? `; known: ${known.slice(0, LONGEST_LIST).join(', ') || 'none'}` : '';
  return { path: joinPath(path, String(key)), message: `is not known${hint}` };
}
