import type { TransformMetadata } from 'class-transformer';
import type { Class } from '#discovery';
import type { RuleFacts } from './class-rules.js';

/** A parameter class as its decorators describe it. Recursive classes give a graph with a circle. */
export interface ClassModel {
  readonly cls: Class;
  readonly description: string | undefined;
  readonly properties: readonly PropertyModel[];
}

export interface PropertyModel {
  readonly name: string;
  readonly description: string | undefined;
  readonly example: unknown;
  readonly defaultValue: unknown;
  readonly value: FactsPair;
  /** Of each item, when it is a list. */
  readonly items: FactsPair;
  readonly list: boolean;
  /** The class of the value, or of its items. */
  readonly nested: ClassModel | undefined;
  /** The value, or its items, are handed on as `Date`. */
  readonly isDate: boolean;
  readonly required: boolean;
  /** Models write `null` for what they leave out. */
  readonly nullIsAbsent: boolean;
  /** `@ValidateIf` or `@Transform` stand before the rules, so nothing can be said of the value as it arrives. */
  readonly opaque: boolean;
  readonly transforms: readonly TransformMetadata[];
  /** The value is handed on untouched. */
  readonly asIs: boolean;
  /** The checked facts say everything; class-validator need not be asked. */
  readonly exact: boolean;
}

/** What is said to the model, and the part of it that can be checked without class-validator. */
export interface FactsPair {
  readonly published: readonly RuleFacts[];
  readonly checked: readonly RuleFacts[];
}
