import { OsmosisError } from '#domain';
import type { ModelTag, RunSummary, TokenUsageRecord } from './run.record.js';

/** US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  readonly output: number;
}

/** What models cost, as the user says: `{ "openai/gpt-5-mini": { "input": 0.25, "output": 2 } }`. */
export class PriceTable {
  private constructor(private readonly prices: ReadonlyMap<string, ModelPrice>) {}

  /** @param document the parsed file. @throws OsmosisError CONFIG_INVALID naming the entry that is no price */
  static of(document: unknown, path: string): PriceTable {
    if (typeof document !== 'object' || document === null || Array.isArray(document)) {
      throw invalid(path, 'it must be one object: { "model": { "input": 0.25, "output": 2 } }');
    }
    return new PriceTable(
      new Map(Object.entries(document).map(([model, price]) => [model, readPrice(model, price, path)])),
    );
  }

  /** The price of a model by its whole name, or by what stands behind its provider's. */
  find(model: string): ModelPrice | null {
    return this.prices.get(model) ?? this.prices.get(model.slice(model.indexOf('/') + 1)) ?? null;
  }
}

function costOf({ prompt_tokens, completion_tokens }: TokenUsageRecord, price: ModelPrice): number {
  return (prompt_tokens * price.input + completion_tokens * price.output) / 1e6;
}

/** What the runs of an evaluation cost, each by the price of its model. Null without prices. */
export class CostMeter {
  /** @param priceOf null for a model without a price */
  constructor(private readonly priceOf: (tag: ModelTag) => ModelPrice | null) {}

  /** Null when any of the runs has no price: a part of the cost would pass for the whole. */
  total(runs: readonly RunSummary[]): number | null {
    let sum = 0;
    for (const run of runs) {
      const cost = this.of(run);
      if (cost === null) return null;
      sum += cost;
    }
    return runs.length > 0 ? sum : null;
  }

  of({ model_tag, token_usage }: RunSummary): number | null {
    const price = this.priceOf(model_tag);
    return price && costOf(token_usage, price);
  }
}

function readPrice(model: string, price: unknown, path: string): ModelPrice {
  const { input, output } = (price ?? {}) as { readonly input?: unknown; readonly output?: unknown };
  if (isPrice(input) && isPrice(output)) return { input, output };
  throw invalid(path, `'${model}' needs "input" and "output", both dollars for a million tokens, not below 0`);
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}

function invalid(path: string, what: string): OsmosisError {
  return new OsmosisError('CONFIG_INVALID', `${path} is no price table: ${what}.`);
}
