import { MAX_JSON_DEPTH } from '#domain';
import { formatPath } from './input-path.js';
import { MAX_FAULTS, type InputFault } from './tool-input.types.js';

/**
 * Faults that no schema sees: numbers that are not finite (`1e999` is legal JSON and reads as Infinity; case TC-09) in
 * places without a type, and nesting that would overflow whatever walks through it later.
 */
export function findWildValues(args: Record<string, unknown>): readonly InputFault[] {
  const faults: InputFault[] = [];
  visit(args, [], faults);
  return faults;
}

function visit(value: unknown, steps: PropertyKey[], faults: InputFault[]): void {
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) report('must be a finite number');
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (steps.length >= MAX_JSON_DEPTH) return report(`must not be nested deeper than ${MAX_JSON_DEPTH} levels`, '');
  if (Array.isArray(value)) value.forEach((item, index) => descend(item, index));
  else for (const key of Object.keys(value)) descend((value as Readonly<Record<string, unknown>>)[key], key);

  function descend(child: unknown, step: PropertyKey): void {
    steps.push(step);
    visit(child, steps, faults);
    steps.pop();
  }

  function report(message: string, path = formatPath(steps)): void {
    if (faults.length < MAX_FAULTS) faults.push({ path, message });
  }
}
