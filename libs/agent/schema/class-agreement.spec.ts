import { plainToInstance } from 'class-transformer';
import * as v from 'class-validator';
import * as fc from 'fast-check';
import { classInput } from './class-input.js';
import { InputDefinitionError } from './input-definition.error.js';
import type { ToolInput } from './tool-input.types.js';

/** A property as a decorated class would have it. */
interface Property {
  readonly type: unknown;
  readonly rules: readonly PropertyDecorator[];
  /** Values that stand a chance. */
  readonly likely: fc.Arbitrary<unknown>;
}

const small = fc.integer({ min: -4, max: 4 });
const size = fc.integer({ min: 0, max: 3 });

const text = fc.string({ unit: fc.constantFrom('a', 'b', 'm', 'z', 'é', '😀'), maxLength: 4 });
const numeric = fc.oneof(small, fc.constantFrom(0.5, -2.25));
const scalar = fc.oneof(numeric, text, fc.boolean(), fc.constant(null));
const list = fc.array(fc.oneof({ weight: 9, arbitrary: text }, { weight: 1, arbitrary: scalar }), { maxLength: 4 });
const dictionary = fc.dictionary(text, scalar, { maxKeys: 2, noNullPrototype: true });
const anyValue = fc.oneof(scalar, list, dictionary);

/** Some rules on top of the one that gives the type. */
function property(
  type: unknown,
  likely: fc.Arbitrary<unknown>,
  base: readonly PropertyDecorator[],
  ...more: readonly fc.Arbitrary<PropertyDecorator>[]
): fc.Arbitrary<Property> {
  const rules = more.length > 0 ? fc.array(fc.oneof(...more), { maxLength: 2 }) : fc.constant([]);
  return fc
    .tuple(rules, fc.boolean())
    .map(([some, optional]) => ({ type, likely, rules: [...base, ...some, ...(optional ? [v.IsOptional()] : [])] }));
}

const anyProperty: fc.Arbitrary<Property> = fc.oneof(
  property(
    Number,
    numeric,
    [v.IsNumber()],
    small.map((limit) => v.Min(limit)),
    small.map((limit) => v.Max(limit)),
    fc.constant(v.IsPositive()),
    fc.constant(v.IsNegative()),
    fc.constant(v.NotEquals(0)),
  ),
  property(
    Number,
    numeric,
    [v.IsInt()],
    small.map((limit) => v.Min(limit)),
    size.map((step) => v.IsDivisibleBy(step + 1)),
    fc.constant(v.IsIn([1, 2, 3])),
  ),
  property(
    String,
    text,
    [v.IsString()],
    size.map((length) => v.MinLength(length)),
    size.map((length) => v.MaxLength(length)),
    fc.tuple(size, size).map(([min, more]) => v.Length(min, min + more)),
    fc.constant(v.Matches(/^[a-m]*$/)),
    fc.constant(v.IsNotEmpty()),
    fc.constant(v.IsNotIn(['a', 'b'])),
  ),
  property(Boolean, fc.boolean(), [v.IsBoolean()]),
  property(String, fc.constantFrom('a', 'b', 'c'), [v.IsIn(['a', 'b'])], fc.constant(v.IsDefined())),
  property(
    Array,
    list,
    [v.IsArray(), v.IsString({ each: true })],
    size.map((count) => v.ArrayMinSize(count)),
    size.map((count) => v.ArrayMaxSize(count)),
    fc.constant(v.ArrayNotEmpty()),
    fc.constant(v.MinLength(1, { each: true })),
  ),
  property(Object, dictionary, [v.IsObject()]),
);

const nameOf = (index: number): string => `property${index}`;

function decorated(properties: readonly Property[]): new () => object {
  class Generated {}
  properties.forEach(({ type, rules }, index) => {
    const name = nameOf(index);
    Reflect.defineMetadata('design:type', type, Generated.prototype, name);
    for (const rule of rules) rule(Generated.prototype, name);
  });
  return Generated;
}

/** What class-validator by itself, with its strictest options, has to say. */
async function faultyByValidator(cls: new () => object, args: Record<string, unknown>): Promise<string[]> {
  const errors = await v.validate(plainToInstance(cls, args), { whitelist: true, forbidNonWhitelisted: true });
  return [...new Set(errors.map((error) => error.property))].sort();
}

async function faultyByInput(input: ToolInput, args: Record<string, unknown>): Promise<string[]> {
  const check = await input.check(args);
  const roots = check.ok ? [] : check.faults.map(({ path }) => /^\w+/.exec(path)?.[0] ?? '');
  return [...new Set(roots)].sort();
}

/** Undefined for rules that no value satisfies: refused when the class is read, where class-validator refuses each call. */
function inputOf(cls: new () => object): ToolInput | undefined {
  try {
    return classInput(cls);
  } catch (error) {
    if (error instanceof InputDefinitionError) return undefined;
    throw error;
  }
}

/** Mostly likely values; now and then a wrong one, a missing one, or one too many. */
function argsFor(properties: readonly Property[]): fc.Arbitrary<Record<string, unknown>> {
  const values = properties.map(
    ({ likely }, index) =>
      [
        nameOf(index),
        fc.oneof(
          { weight: 8, arbitrary: likely },
          { weight: 1, arbitrary: anyValue },
          { weight: 1, arbitrary: fc.constant(undefined) },
        ),
      ] as const,
  );
  const stranger = fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: anyValue });
  return fc
    .record({ ...Object.fromEntries(values), stranger: stranger })
    .map((args) => Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined)));
}

describe('the compiled check of a class', () => {
  it('finds fault with the same properties as class-validator', async () => {
    const cases = fc
      .array(anyProperty, { minLength: 1, maxLength: 3 })
      .chain((properties) =>
        fc.tuple(fc.constant(properties), fc.array(argsFor(properties), { minLength: 15, maxLength: 30 })),
      );
    let accepted = 0;
    await fc.assert(
      fc.asyncProperty(cases, async ([properties, calls]) => {
        const cls = decorated(properties);
        const input = inputOf(cls);
        fc.pre(input !== undefined);
        for (const call of calls) {
          const faulty = await faultyByInput(input, call);
          if (faulty.length === 0) accepted++;
          expect({ call, faulty }).toEqual({ call, faulty: await faultyByValidator(cls, call) });
        }
      }),
      { numRuns: 100 },
    );
    expect(accepted).toBeGreaterThan(100);
  });
});
