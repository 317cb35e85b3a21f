import { CostMeter, PriceTable } from './price.table.js';
import type { RunSummary } from './run.record.js';

const run = (prompt_tokens: number, completion_tokens: number, model_tag: RunSummary['model_tag'] = null): RunSummary =>
  ({ model_tag, token_usage: { prompt_tokens, completion_tokens } }) as RunSummary;

describe('what runs cost', () => {
  const prices = PriceTable.of(
    { 'openai/gpt-5-mini': { input: 0.25, output: 2 }, local: { input: 0, output: 0 } },
    'p.json',
  );

  it('is told by the price of a million tokens', () => {
    const costs = new CostMeter(() => prices.find('openai/gpt-5-mini'));
    expect(costs.total([run(1_000_000, 0), run(0, 500_000)])).toBeCloseTo(1.25, 12);
  });

  it('finds a model by its whole name, or without its provider', () => {
    expect(prices.find('vllm/local')).toEqual({ input: 0, output: 0 });
    expect(prices.find('other')).toBeNull();
  });

  it('is not told in part: a model without a price makes it unknown', () => {
    const costs = new CostMeter((tag) => (tag === 'baseline' ? null : { input: 1, output: 1 }));
    expect(costs.total([run(1, 1, 'primary')])).not.toBeNull();
    expect(costs.total([run(1, 1, 'primary'), run(1, 1, 'baseline')])).toBeNull();
    expect(costs.total([])).toBeNull();
  });

  it.each([[[]], [5], [{ m: { input: 1 } }], [{ m: { input: -1, output: 1 } }], [{ m: { input: '1', output: 1 } }]])(
    '%j is no price table',
    (document) => expect(() => PriceTable.of(document, 'prices.json')).toThrow('prices.json is no price table'),
  );
});
