import { familyRules, type ParameterRules } from './parameter.rules.js';
import { STRUCTURED_OUTPUT_LADDER, type StructuredOutput } from './provider.definition.js';
import type { ResolvedModel } from './model.resolver.js';

/** What the process has learned of each model at its address, so that a refusal is met once and not at every call. */
export class ModelMemory {
  readonly #rules = new Map<string, ParameterRules>();
  readonly #outputs = new Map<string, readonly StructuredOutput[]>();

  rulesOf(model: ResolvedModel): ParameterRules {
    let rules = this.#rules.get(model.id);
    if (!rules) {
      rules = familyRules(model.model, model.definition);
      this.#rules.set(model.id, rules);
    }
    return rules;
  }

  rememberRules(model: ResolvedModel, rules: ParameterRules): void {
    this.#rules.set(model.id, rules);
  }

  /** Ways to ask for structured output that the model has not refused, the most binding first. Never empty. */
  outputsOf(model: ResolvedModel): readonly StructuredOutput[] {
    return this.#outputs.get(model.id) ?? model.definition.structuredOutput ?? STRUCTURED_OUTPUT_LADDER;
  }

  /** Takes a way out of the ladder. Words alone always stay. */
  forgetOutput(model: ResolvedModel, refused: StructuredOutput): void {
    const left = this.outputsOf(model).filter((output) => output !== refused);
    this.#outputs.set(model.id, left.length > 0 ? left : ['plain']);
  }
}
