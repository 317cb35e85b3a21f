import 'reflect-metadata';
import type { Class } from '#discovery';

const DESCRIPTION = 'osmosis:description';
const DESCRIBED_PROPERTIES = 'osmosis:described-properties';
/** Where @nestjs/swagger keeps what `@ApiProperty` says. Read by its name, so that swagger stays optional. */
const SWAGGER_PROPERTY = 'swagger/apiModelProperties';

/** Tells the model what a property, or a whole parameter class, is for. */
export function Describe(text: string): PropertyDecorator & ClassDecorator {
  return (target: object, property?: string | symbol): void => {
    if (property === undefined) {
      Reflect.defineMetadata(DESCRIPTION, text, target);
      return;
    }
    Reflect.defineMetadata(DESCRIPTION, text, target, property);
    const before = (Reflect.getMetadata(DESCRIBED_PROPERTIES, target) ?? []) as readonly string[];
    Reflect.defineMetadata(DESCRIBED_PROPERTIES, Object.freeze([...before, String(property)]), target);
  };
}

/** What a class says of itself; a child class does not inherit it. */
export function classDescription(cls: Class): string | undefined {
  return Reflect.getOwnMetadata(DESCRIPTION, cls) as string | undefined;
}

/** Names of the properties with `@Describe`, inherited ones included. */
export function describedProperties(cls: Class): readonly string[] {
  return (Reflect.getMetadata(DESCRIBED_PROPERTIES, prototypeOf(cls)) ?? []) as readonly string[];
}

export interface PropertyNotes {
  readonly description?: string;
  readonly example?: unknown;
  /** Allowed values, by `@ApiProperty({ enum })`. */
  readonly values?: readonly unknown[];
  /** Allowed values of the items, by `@ApiProperty({ enum, isArray: true })`. */
  readonly itemValues?: readonly unknown[];
}

/** What `@Describe`, or else `@ApiProperty`, says of a property. */
export function propertyNotes(cls: Class, property: string): PropertyNotes {
  const own = Reflect.getMetadata(DESCRIPTION, prototypeOf(cls), property) as string | undefined;
  const swagger = (Reflect.getMetadata(SWAGGER_PROPERTY, prototypeOf(cls), property) ?? {}) as {
    readonly description?: unknown;
    readonly example?: unknown;
    readonly enum?: unknown;
    readonly items?: { readonly enum?: unknown };
  };
  return {
    description: own ?? (typeof swagger.description === 'string' ? swagger.description : undefined),
    example: swagger.example,
    values: arrayOrNone(swagger.enum),
    itemValues: arrayOrNone(swagger.items?.enum),
  };
}

export function prototypeOf(cls: Class): object {
  return cls.prototype as object;
}

function arrayOrNone(value: unknown): readonly unknown[] | undefined {
  return Array.isArray(value) ? (value as readonly unknown[]) : undefined;
}
