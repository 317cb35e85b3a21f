import {
  caseInsensitiveMatch,
  exactMatch,
  hashAnswerMatch,
  jsonMatch,
  lengthPenalty,
  numericMatch,
  regexMatch,
  setOverlap,
  similarity,
  toolUse,
} from './index.js';

describe('ready rewards', () => {
  it('exactMatch and caseInsensitiveMatch compare trimmed texts', () => {
    expect(exactMatch(' 42\n', '42')).toBe(1);
    expect(exactMatch('Oslo', 'oslo')).toBe(0);
    expect(caseInsensitiveMatch('OSLO ', 'oslo')).toBe(1);
    expect(caseInsensitiveMatch('Oslo', 'Bergen')).toBe(0);
    expect(exactMatch('', '')).toBe(1);
  });

  it.each([
    ['The answer is 42.', '42', 1],
    ['first 7, then 42', '42', 1],
    ['42, or rather 7', '42', 0],
    ['1,234.5', '1234.5', 1],
    ['-3', '3', 0],
    ['6.02e23', '6.02e23', 1],
    ['about .5', '0.5', 1],
    ['forty-two', '42', 0],
    ['42.009', '42', 1],
    ['42.011', '42', 0],
  ])('numericMatch(%j, %j) is %i', (solution, truth, expected) => {
    expect(numericMatch(solution, truth)).toBe(expected);
  });

  it('numericMatch takes a tolerance, also a relative one, and refuses a truth that is no number', () => {
    expect(numericMatch('101', '100', { tolerance: 1 })).toBe(1);
    expect(numericMatch('1010', '1000', { tolerance: 0.01, relative: true })).toBe(1);
    expect(numericMatch('1011', '1000', { tolerance: 0.01, relative: true })).toBe(0);
    expect(() => numericMatch('5', 'five')).toThrow(RangeError);
  });

  it('hashAnswerMatch compares what stands behind the last ####', () => {
    expect(hashAnswerMatch('3 + 4 = 7\n#### 7', '#### 7')).toBe(1);
    expect(hashAnswerMatch('#### 1\n#### 1,000', '1000')).toBe(1);
    expect(hashAnswerMatch('#### 7 apples', '7')).toBe(0);
    expect(hashAnswerMatch('7', '7')).toBe(0);
  });

  it('regexMatch asks the same pattern anew each time', () => {
    const pattern = /\d+/g;
    expect([regexMatch('a1', '', pattern), regexMatch('a1', '', pattern)]).toEqual([1, 1]);
    expect(regexMatch('abc', '^a.c$')).toBe(1);
    expect(() => regexMatch('x', '(')).toThrow(SyntaxError);
  });

  it('similarity falls with each edit', () => {
    expect(similarity('kitten', 'kitten')).toBe(1);
    expect(similarity('kitten', 'sitting')).toBeCloseTo(1 - 3 / 7);
    expect(similarity('', '')).toBe(1);
    expect(similarity('', 'abc')).toBe(0);
  });

  it('lengthPenalty is a straight line between free and limit', () => {
    const options = { free: 10, limit: 20 };
    expect([5, 10, 15, 20, 99].map((length) => lengthPenalty('x'.repeat(length), options))).toEqual([
      0, 0, -0.5, -1, -1,
    ]);
  });

  it('jsonMatch compares values, without regard to keys, and to order when told so', () => {
    expect(jsonMatch('{"b":[1,2],"a":1}', '{"a":1,"b":[1,2]}')).toBe(1);
    expect(jsonMatch('[2,1]', '[1,2]')).toBe(0);
    expect(jsonMatch('[{"a":2},{"a":1}]', '[{"a":1},{"a":2}]', { ignoreOrder: true })).toBe(1);
    expect(jsonMatch('[1,1,2]', '[1,2,2]', { ignoreOrder: true })).toBe(0);
    expect(jsonMatch('```json\n{"a":1}\n```', '{"a":1}')).toBe(1);
    expect(jsonMatch('not json', '{}')).toBe(0);
    expect(() => jsonMatch('{}', 'not json')).toThrow(SyntaxError);
  });

  it('setOverlap is the share that two sets have in common', () => {
    expect(setOverlap('a, B; c', 'A\nb\nd')).toBeCloseTo(2 / 4);
    expect(setOverlap('a|b', 'b|a', { separator: '|' })).toBe(1);
    expect(setOverlap('', '')).toBe(1);
    expect(setOverlap('', 'a')).toBe(0);
  });

  it('toolUse counts calls against what is wanted', () => {
    const calls = ['add', 'add', 'look'].map((name) => ({ function: { name } }));
    expect(toolUse(calls)).toBe(1);
    expect(toolUse([])).toBe(0);
    expect(toolUse(calls, { tool: 'add', least: 4 })).toBe(0.5);
    expect(toolUse(calls, { most: 2 })).toBeCloseTo(2 / 3);
    expect(toolUse([], { most: 2 })).toBe(1);
    expect(toolUse(calls, { tool: 'look', least: 1, most: 1 })).toBe(1);
    expect(toolUse(calls, { tool: 'add', most: 0 })).toBe(0);
  });
});
