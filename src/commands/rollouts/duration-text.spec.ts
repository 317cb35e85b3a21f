import { durationText } from './duration-text.js';

it.each([
  [-5, '0 ms'],
  [0, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1.0 s'],
  [59_949, '59.9 s'],
  [59_950, '1 min'],
  [200_000, '3 min 20 s'],
  [3_600_000, '1 h'],
  [3_599_700, '1 h'],
  [18_180_000, '5 h 3 min'],
  [187_200_000, '2 d 4 h'],
])('%d ms are %s', (ms, text) => {
  expect(durationText(ms)).toBe(text);
});
