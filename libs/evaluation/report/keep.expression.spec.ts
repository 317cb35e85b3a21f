import { KeepExpression, type RowFigures } from './keep.expression.js';

const figures: RowFigures = { mean: 0.5, pass_rate: 0.25, std: 0.1, min: 0, max: 1, n: 4, errors: 0 };
const keeps = (text: string, overrides: Partial<RowFigures> = {}): boolean =>
  KeepExpression.parse(text).keeps({ ...figures, ...overrides });

describe('conditions on rows', () => {
  it.each([
    ['0 < mean < 1', true],
    ['mean<0.5', false],
    ['mean <= .5', true],
    ['0.2 <= pass_rate <= 0.3 and errors < 1', true],
    ['n > 4', false],
    ['min < max', true],
    ['-1 < MEAN', true],
  ])('%s: %s', (text, expected) => expect(keeps(text)).toBe(expected));

  it('a figure that there is not fulfils nothing', () => {
    expect(keeps('mean < 1', { mean: null })).toBe(false);
    expect(keeps('mean > -1', { mean: null })).toBe(false);
  });

  it.each([
    '',
    'mean',
    'mean < ',
    '< 1',
    'mean < 1 <',
    'mean = 1',
    'mean < 1 and',
    'median < 1',
    'mean < 1; x',
    'mean 1',
  ])('%j is none', (text) =>
    expect(() => KeepExpression.parse(text)).toThrow('cannot be read. Write comparisons like "0 < mean < 1"'),
  );
});
