import { systemClock, type ChatMessage } from '#domain';
import { EvalFunction } from './eval.function.js';
import { loadEvalFunctions } from './eval.function.loader.js';
import { parameterNames } from './function.parameters.js';
import { expectedScorers, mainScorer, mergeEntries, rewardEntries } from './score.entries.js';

const messages: ChatMessage[] = [
  { role: 'user', content: 'q' },
  { role: 'assistant', content: 'the answer' },
];
const input = { messages, solutionStr: 'the answer', groundTruth: 'truth', row: { user_prompt: 'q', topic: 't' } };
const score = (fn: unknown, timeoutMs = 1_000): Promise<number> =>
  EvalFunction.of('score.ts:fn', fn).score(input, systemClock, timeoutMs);

describe('eval functions (spec F.8)', () => {
  it('simple ones get the solution, full ones the conversation; both the whole row', async () => {
    const calls: unknown[][] = [];
    await score((solutionStr: string, groundTruth: string, extraInfo: object) =>
      calls.push([solutionStr, groundTruth, extraInfo]),
    );
    await score(async (messages: unknown, groundTruth: string, metadata: object) =>
      calls.push([messages, groundTruth, metadata]),
    );
    expect(calls).toEqual([
      ['the answer', 'truth', input.row],
      [messages, 'truth', input.row],
    ]);
  });

  it.each([
    [
      'a plain function',
      function exact(solution_str: string) {
        return solution_str.length;
      },
      10,
    ],
    ['an async one', async (solutionStr: string) => solutionStr.length, 10],
    [
      'one with defaults',
      (solutionStr: string, truth = ',)', { topic } = { topic: [1, '}'] }) =>
        solutionStr.length + truth.length + topic.length,
      16,
    ],
    ['true', (solutionStr: string) => solutionStr !== '', 1],
    ['false', (solutionStr: string) => solutionStr === '', 0],
  ])('%s', async (_name, fn, expected) => expect(await score(fn)).toBe(expected));

  it.each([
    ['text', (solutionStr: string) => solutionStr, 'must give a finite number, but gave string'],
    ['nothing', (solutionStr: string) => void solutionStr, 'must give a finite number, but gave undefined'],
    ['NaN', (solutionStr: string) => NaN * solutionStr.length, 'must give a finite number, but gave NaN'],
    [
      'an exception',
      (solutionStr: string) => {
        throw new Error(`no ${solutionStr}`);
      },
      'score.ts:fn failed: no the answer',
    ],
    [
      'a rejection',
      async (solutionStr: string) => Promise.reject(new Error(`no ${solutionStr}`)),
      'failed: no the answer',
    ],
  ])('%s is no score, and no 0', async (_name, fn, message) => {
    await expect(score(fn)).rejects.toThrow(message);
  });

  it('one that does not end is cut off', async () => {
    await expect(score((solutionStr: string) => new Promise(() => solutionStr), 20)).rejects.toThrow(
      'score.ts:fn did not finish within its timeout of 20 ms',
    );
  });

  it.each([
    [5, 'it is no function but of type number'],
    [() => 1, 'it takes no parameters'],
    [(answer: string) => answer.length, "its first parameter is called 'answer'"],
    [
      ({ solutionStr }: { solutionStr: string }) => solutionStr.length,
      'its first parameter has no name that can be read',
    ],
    [Math.max.bind(null), 'its first parameter has no name that can be read'],
    [
      (solutionStr: string, b: string, c: string, d: string) => (solutionStr + b + c + d).length,
      'it takes 4 parameters',
    ],
  ])('is checked before the first call: %s', (value, message) => {
    expect(() => EvalFunction.of('score.ts:fn', value)).toThrow(`score.ts:fn is no eval function: ${message}`);
  });

  it.each([
    ['function f(a, b = "x,)", {c} = {}) {}', ['a', 'b', undefined]],
    ['async (/* first */ a, [b]) => 0', ['a', undefined]],
    ['a => a', ['a']],
    ['async a => a', ['a']],
    ['function () {}', []],
  ])('%s', (source, names) => {
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    expect(parameterNames(Function(`return (${source})`)() as () => void)).toEqual(names);
  });
});

describe('naming eval functions', () => {
  const load = async (path: string) => ({ exact: (solutionStr: string) => solutionStr.length, path });

  it('path:export, split at the last colon; the name is the whole path', async () => {
    const [fn] = await loadEvalFunctions(['C:/x/score.ts:exact'], load);
    expect(fn?.name).toBe('C:/x/score.ts:exact');
  });

  it.each([
    [['score.ts:exact', 'score.ts:exact'], 'is named twice'],
    [['score.ts'], "'score.ts' names no eval function. Write path:export"],
    [[':exact'], "':exact' names no eval function"],
    [['score.ts:other'], "score.ts has no export 'other'. Its exports: exact, path"],
    [['score.ts:path'], 'score.ts:path is no eval function: it is no function but of type string'],
  ])('%j', async (paths, message) => {
    await expect(loadEvalFunctions(paths, load)).rejects.toThrow(message);
  });
});

describe('rewards as scorers', () => {
  const component = (name: string, value: number | null, weight = 1) => ({ name, value, weight, durationMs: 0 });

  it.each([
    ['a lone reward', 1, [component('exact', 1)], { exact: 1 }],
    ['a lone reward of half weight', 0.5, [component('exact', 1, 0.5)], { exact: 1, reward: 0.5 }],
    ['several', 1.5, [component('a', 1), component('b', 0.5)], { a: 1, b: 0.5, reward: 1.5 }],
    [
      'one that could not be computed',
      null,
      [component('a', 1), component('b', null)],
      { a: 1, b: null, reward: null },
    ],
    ['one called reward', 3, [component('reward', 1), component('b', 2)], { reward: 1, b: 2, 'reward (sum)': 3 }],
    ["a loop's own", 0.25, [], { reward: 0.25 }],
    ['none', null, [], {}],
  ])('%s', (_name, reward, components, scores) => expect(rewardEntries(reward, components).scores).toEqual(scores));

  it('the sum stands for all, else the first', () => {
    expect(mainScorer(['a', 'b', 'reward'])).toBe('reward');
    expect(mainScorer(['reward', 'b', 'reward (sum)'])).toBe('reward (sum)');
    expect(mainScorer(['a', 'b'])).toBe('a');
    expect(mainScorer([])).toBeUndefined();
    expect(expectedScorers(['a', 'b'])).toEqual(['a', 'b', 'reward']);
    expect(expectedScorers(['a'])).toEqual(['a']);
  });

  it('entries of several sources go together', () => {
    const one = { scores: { a: 1 }, errors: {}, reasons: { a: 'fine' } };
    const other = { scores: { b: null }, errors: { b: 'x' }, reasons: {} };
    expect(mergeEntries(one, other)).toEqual({
      scores: { a: 1, b: null },
      errors: { b: 'x' },
      reasons: { a: 'fine' },
    });
  });
});
