import type { RuleMetadata } from './class-metadata.js';
import type { FactsPair } from './class-model.js';
import { readRule, type JsonType, type RuleFacts } from './class-rules.js';
import { classValidator } from './validator-packages.js';

/** While a property is read. */
export interface GrowingPair extends FactsPair {
  readonly published: RuleFacts[];
  readonly checked: RuleFacts[];
}

/** What the rules of one value say. Rules under a condition are told to the model, but not checked without class-validator. */
export function pairOf(rules: readonly RuleMetadata[]): GrowingPair {
  const { ValidationTypes } = classValidator();
  const pair: GrowingPair = { published: [], checked: [] };
  for (const rule of rules) {
    if (rule.type !== ValidationTypes.CUSTOM_VALIDATION && rule.type !== ValidationTypes.IS_DEFINED) continue;
    const facts = readRule(rule.name, (rule.constraints ?? []) as readonly unknown[]);
    if (rule.validateIf !== undefined || rule.groups?.length > 0) {
      pair.published.push({ ...facts, exact: false });
    } else if (facts.exact && rule.message === undefined) {
      add(pair, facts);
    } else {
      // Words of the user's own are class-validator's to say; the type is checked here all the same.
      pair.published.push({ ...facts, exact: false });
      pair.checked.push({ types: facts.types, exact: false });
    }
  }
  return pair;
}

/** Says something that is both told and checked. */
export function add(pair: GrowingPair, facts: RuleFacts | undefined): void {
  if (!facts) return;
  pair.published.push(facts);
  pair.checked.push(facts);
}

export function typeFacts(type: JsonType | undefined): RuleFacts | undefined {
  return type && { types: [type], exact: true };
}

export function jsonTypeOf(type: unknown): JsonType | undefined {
  if (type === String) return 'string';
  if (type === Number) return 'number';
  return type === Boolean ? 'boolean' : undefined;
}
