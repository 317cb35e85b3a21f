import type { Class } from '#discovery';
import type { ClassModel } from '../schema/class-model.js';
import { isParameterClass } from '../schema/class-metadata.js';
import { readClassModel } from '../schema/class-reader.js';
import type { IsolatedTask } from './isolated.protocol.js';

const models = new WeakMap<Class, ClassModel>();

/** The arguments as the method expects them: sending them took the classes from the input and what is nested in it. */
export function reviveArguments(type: Class, task: IsolatedTask): readonly unknown[] {
  const [input, ...others] = task.args;
  if (!task.inputIsInstance) return task.args;
  const types: unknown = Reflect.getMetadata('design:paramtypes', type.prototype as object, task.methodName);
  const inputType: unknown = Array.isArray(types) ? types[0] : undefined;
  return isParameterClass(inputType) ? [revive(input, modelOf(inputType)), ...others] : task.args;
}

function modelOf(type: Class): ClassModel {
  let model = models.get(type);
  if (!model) models.set(type, (model = readClassModel(type)));
  return model;
}

/** Constructed, so that private fields are there too; `@Transform` is not applied a second time. */
function revive(value: unknown, model: ClassModel): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map((item) => revive(item, model));
  const fields = value as Record<string, unknown>;
  const instance = Object.assign(new (model.cls as new () => Record<string, unknown>)(), fields);
  for (const { name, nested } of model.properties) {
    if (nested && Object.hasOwn(fields, name)) instance[name] = revive(fields[name], nested);
  }
  return instance;
}
