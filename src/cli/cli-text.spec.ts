import { EXIT } from '#domain';
import { EXIT_CODES } from './exit-codes.js';
import { painter, wantsColour } from './paint.js';
import { nearest } from './suggest.js';

it('the table of exit codes agrees with the one of #domain', () => {
  const documented = EXIT_CODES.map(({ code }) => code).filter((code) => code < 128);
  expect(documented).toEqual(Object.values(EXIT));
});

describe('nearest', () => {
  it.each([
    ['srve', 'serve'],
    ['valdiate', 'validate'],
    ['conifg', 'config'],
    ['s', undefined],
    ['login', undefined],
  ])('%s means %s', (word, meant) => {
    expect(nearest(word, ['serve', 'validate', 'config', 'completion'])).toBe(meant);
  });
});

describe('colours (case CL-16)', () => {
  it.each([
    [{}, true, true, true],
    [{}, false, true, false],
    [{}, true, false, false],
    [{ NO_COLOR: '1' }, true, true, false],
    [{ NO_COLOR: '' }, true, true, true],
    [{ FORCE_COLOR: '1' }, false, true, true],
    [{ FORCE_COLOR: '0' }, true, true, false],
    [{ FORCE_COLOR: '1', NO_COLOR: '1' }, false, true, true],
    [{ TERM: 'dumb' }, true, true, false],
  ])('%j, terminal %s, allowed %s: %s', (env, terminal, allowed, expected) => {
    expect(wantsColour(env, terminal, allowed)).toBe(expected);
  });

  it('are codes around the text, or nothing', () => {
    expect(painter(true)('red', 'x')).toBe('\u001b[31mx\u001b[39m');
    expect(painter(false)('red', 'x')).toBe('x');
  });
});
