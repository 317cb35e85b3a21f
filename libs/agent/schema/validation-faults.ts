import type { ValidationError } from 'class-validator';
import { joinPath } from './input-path.js';
import type { InputFault } from './tool-input.types.js';

/** What class-validator found, as faults with paths. */
export function faultsOfValidation(errors: readonly ValidationError[], path = ''): readonly InputFault[] {
  return errors.flatMap((error) => {
    const inList = Array.isArray(error.target);
    const place = joinPath(path, inList ? Number(error.property) : error.property);
    const own = Object.values(error.constraints ?? {}).map((text) => ({
      path: place,
      message: withoutSubject(text, error.property),
    }));
    return [...own, ...faultsOfValidation(error.children ?? [], place)];
  });
}

/** "email must be an email" → "must be an email": the path says the rest. */
function withoutSubject(text: string, property: string): string {
  if (text.startsWith(`${property} `)) return text.slice(property.length + 1);
  return text.replace(`each value in ${property} `, 'each item ').replace(`All ${property}'s elements`, 'its items');
}
