import fc from 'fast-check';
import { rowsBetween } from './helpers/differences.js';
import { HelperPeer, ourAnswer } from './helpers/helper-peer.js';
import { HELPER_INPUTS } from './helpers/inputs.js';
import { describeWithPython } from './support/python.js';
import { ROWS } from './support/rows.js';
import { forAll, same } from './support/wire-answer.js';

const SEED = 1_711_024;
const INPUTS = 1000;

describeWithPython('the helpers of spec 5: generated inputs, Python and we', () => {
  const counts = new Map<string, number>();
  let peer: HelperPeer;

  beforeAll(() => {
    peer = HelperPeer.start();
  });

  afterAll(() => peer.stop());

  it.each(Object.entries(HELPER_INPUTS))(`%s on ${INPUTS} inputs`, async (helper, arbitrary) => {
    const inputs = fc.sample(arbitrary, { seed: SEED, numRuns: INPUTS });
    const differences = await forAll(inputs, async (input) => {
      const [theirs, mine] = await Promise.all([peer.ask(helper, input), ourAnswer(helper, input)]);
      if (same(theirs, mine)) return null;
      const rows = await rowsBetween({ helper, input, peer }, theirs, mine);
      for (const row of rows) counts.set(row, (counts.get(row) ?? 0) + 1);
      return rows.length > 0 ? null : { input, theirs, mine };
    });
    expect(differences.filter((found) => found !== null)).toEqual([]);
  });

  it('differ in the named rows only', () => {
    expect(Object.fromEntries(counts)).toEqual(ROWS.helpers);
  });
});
