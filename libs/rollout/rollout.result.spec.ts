import { resultFault } from './rollout.result.js';

const good = { status: 'COMPLETED', finalMessages: [{ role: 'user' }], finishReason: 'stop', errorMessage: null };

describe('LC-06: resultFault', () => {
  it.each([good, { ...good, status: 'ERROR' }, { ...good, finalMessages: [] }])(
    'finds nothing wrong with %j',
    (result) => {
      expect(resultFault(result)).toBeNull();
    },
  );

  it.each([
    [undefined, 'gave undefined'],
    [null, 'gave null'],
    ['done', 'gave string'],
    [{}, 'gave the status undefined'],
    [{ ...good, status: 'DONE' }, 'gave the status "DONE"'],
    [{ ...good, finalMessages: 'text' }, 'gave no list of final messages'],
    [{ ...good, finalMessages: [{}, null] }, 'gave final messages of which number 1 is no object'],
    [{ ...good, finishReason: null }, 'gave a finish reason that is no string'],
  ])('of %j says: %s', (result, text) => {
    expect(resultFault(result)).toContain(text);
  });
});
