import type { JsonSchema } from '#domain';
import { schemaOfFacts } from './class-facts.js';
import type { ClassModel, PropertyModel } from './class-model.js';

/** `published` is told to the model; `checked` is the part of it, made lenient to nulls, that is checked by itself. */
export type SchemaView = 'published' | 'checked';

/**
 * The JSON Schema of a parameter class. No level takes an unknown key (case TC-22). Nested classes stand where they are
 * used; only a class that contains itself is moved to `$defs`.
 *
 * @throws InputDefinitionError when the rules of a property contradict each other
 */
export function writeClassSchema(root: ClassModel, view: SchemaView): JsonSchema {
  return new ClassSchemaWriter(view, recursiveModels(root)).write(root);
}

class ClassSchemaWriter {
  private readonly names = new Map<ClassModel, string>();
  private readonly definitions: Record<string, JsonSchema> = {};

  constructor(
    private readonly view: SchemaView,
    private readonly recursive: ReadonlySet<ClassModel>,
  ) {}

  write(root: ClassModel): JsonSchema {
    const schema = this.object(root);
    return this.names.size > 0 ? { ...schema, $defs: this.definitions } : schema;
  }

  private object(model: ClassModel): JsonSchema {
    const required = model.properties.filter((property) => property.required).map((property) => property.name);
    return {
      type: 'object',
      ...(model.description === undefined ? {} : { description: model.description }),
      properties: Object.fromEntries(
        model.properties.map((property) => [property.name, this.property(model, property)]),
      ),
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    };
  }

  private property(model: ClassModel, property: PropertyModel): JsonSchema {
    const { description, defaultValue, example } = property;
    if (this.view === 'checked') {
      const schema = property.opaque ? this.namesOnly(property) : this.value(model, property);
      return property.nullIsAbsent ? { if: { type: 'null' }, else: schema } : schema;
    }
    return {
      ...this.value(model, property),
      ...(description === undefined ? {} : { description }),
      ...(defaultValue === undefined ? {} : { default: defaultValue }),
      ...(example === undefined ? {} : { examples: [example] }),
    };
  }

  private value(model: ClassModel, property: PropertyModel): JsonSchema {
    const where = `${model.cls.name}.${property.name}`;
    const value = schemaOfFacts(property.value[this.view], where);
    const nested = property.nested && this.nested(property.nested);
    if (!property.list) return nested ? { ...value, ...nested } : value;
    const items = { ...schemaOfFacts(property.items[this.view], `each item of ${where}`), ...nested };
    return Object.keys(items).length > 0 ? { ...value, items } : value;
  }

  private nested(model: ClassModel): JsonSchema {
    if (!this.recursive.has(model)) return this.object(model);
    let name = this.names.get(model);
    if (name === undefined) {
      name = this.freeName(model.cls.name);
      this.names.set(model, name);
      this.definitions[name] = this.object(model);
    }
    return { $ref: `#/$defs/${name}` };
  }

  /** Two classes may have one name. */
  private freeName(className: string): string {
    const base = className.replace(/\W/g, '_') || 'Input';
    const taken = new Set(this.names.values());
    let name = base;
    for (let number = 2; taken.has(name); number++) name = `${base}_${number}`;
    return name;
  }

  /** Of a value whose rules cannot be checked as it arrives: still no unknown keys. */
  private namesOnly(property: PropertyModel): JsonSchema {
    if (!property.nested) return {};
    const object = this.keysOf(property.nested);
    return property.list ? { items: object } : object;
  }

  private keysOf(model: ClassModel): JsonSchema {
    if (this.recursive.has(model)) return {};
    const properties = model.properties.map((property) => [property.name, this.namesOnly(property)] as const);
    return { properties: Object.fromEntries(properties), additionalProperties: false };
  }
}

/** At least one class of every circle. */
function recursiveModels(root: ClassModel): ReadonlySet<ClassModel> {
  const recursive = new Set<ClassModel>();
  const done = new Set<ClassModel>();
  const open = new Set<ClassModel>();
  const visit = (model: ClassModel): void => {
    if (open.has(model)) recursive.add(model);
    if (open.has(model) || done.has(model)) return;
    open.add(model);
    for (const { nested } of model.properties) if (nested) visit(nested);
    open.delete(model);
    done.add(model);
  };
  visit(root);
  return recursive;
}
