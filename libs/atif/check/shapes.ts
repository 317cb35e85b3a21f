/** Tells whoever checks of a fault: where, and what is wrong there. */
export type Report = (path: string, what: string) => void;
export type Shape = (value: unknown, path: string, report: Report) => void;

export const text: Shape = (value, path, report) => {
  if (typeof value !== 'string') report(path, 'is no text');
};

export const truth: Shape = (value, path, report) => {
  if (typeof value !== 'boolean') report(path, 'is neither true nor false');
};

export const finite: Shape = (value, path, report) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) report(path, 'is no finite number');
};

export const integer: Shape = (value, path, report) => {
  if (!Number.isInteger(value)) report(path, 'is no whole number');
};

export function atLeast(least: number): Shape {
  return (value, path, report) => {
    if (!Number.isInteger(value) || (value as number) < least) report(path, `is no whole number from ${least}`);
  };
}

export function oneOf(...values: readonly string[]): Shape {
  return (value, path, report) => {
    if (!values.includes(value as string)) report(path, `is none of ${values.join(', ')}`);
  };
}

export function listOf(shape: Shape, least = 0): Shape {
  return (value, path, report) => {
    if (!Array.isArray(value)) return report(path, 'is no list');
    if (value.length < least) report(path, `has fewer than ${least} item(s)`);
    for (let index = 0; index < value.length; index++) shape(value[index], `${path}[${index}]`, report);
  };
}

/** A text that fits, or what the other shape wants. */
export function textOr(shape: Shape): Shape {
  return (value, path, report) => {
    if (typeof value !== 'string') shape(value, path, report);
  };
}

/** An object of these fields and no others. A field without a value is left out of documents, so null is a fault. */
export function objectOf(fields: Readonly<Record<string, Shape>>, required: readonly string[] = []): Shape {
  return (value, path, report) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return report(path, 'is no object');
    for (const name of required) if (!Object.hasOwn(value, name)) report(`${path}.${name}`, 'is missing');
    for (const [name, field] of Object.entries(value)) {
      const shape = Object.hasOwn(fields, name) ? fields[name] : undefined;
      if (shape) shape(field, `${path}.${name}`, report);
      else report(`${path}.${name}`, 'is no field of the format');
    }
  };
}

/** Any JSON object, nulls included. */
export const freeForm: Shape = (value, path, report) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return report(path, 'is no object');
  anyJson(value, path, report);
};

const anyJson: Shape = (value, path, report) => {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return;
  if (typeof value === 'number') return finite(value, path, report);
  if (Array.isArray(value)) return listOf(anyJson)(value, path, report);
  if (typeof value !== 'object') return report(path, `is a ${typeof value}, which is no JSON`);
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) return report(path, 'is no plain object');
  for (const [key, field] of Object.entries(value)) anyJson(field, `${path}.${key}`, report);
};
