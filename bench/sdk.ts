import { Candidates } from './support/candidates.js';
import { Figures, median, rangeOf } from './support/figures.js';
import { PythonPeers } from './support/python-peers.js';
import { takeOtherCpu } from './support/server-under-test.js';
import { interleave, ratio, type Candidate, type Window } from './support/windows.js';
import { V03 } from './support/wires.js';

/**
 * The whole server against servers in Python with the same tools: the official SDK of dialect 0.3, and for dialect 0.2,
 * whose SDK 0.2.17 is gone from PyPI, the interop suite's stand-in on the same libraries, with one HTTP client and its TLS
 * context for each rollout, as the SDK has. That one is no measurement of the SDK. `CONCURRENCY` is a list.
 */
const CONCURRENCIES = (process.env['CONCURRENCY'] ?? '64').split(',').map(Number);
const WARM_UP = 20_000;
/** A window of Python's takes some seconds, too. */
const PYTHON_SHARE = 0.05;
const rate = ({ perSecond }: Window): number => perSecond;

const figures = new Figures('sdk');
const peers = PythonPeers.find();
if (!peers) {
  console.error('sdk: skipped, since its servers in Python cannot be had here.');
  process.exit(0);
}
takeOtherCpu();
const candidates = new Candidates();
try {
  const slow = async (starting: Promise<Candidate>): Promise<Candidate> => ({
    ...(await starting),
    share: PYTHON_SHARE,
  });
  const pairs: { readonly python: Candidate; readonly ours: Candidate }[] = [];
  if (peers.sdk) {
    const server = await peers.start('peer.v03_server', ['--calculator', '--unlimited']);
    pairs.push({
      python: await slow(candidates.join(`osmosis-ai ${peers.sdk}`, server, { wire: V03 })),
      ours: { ...(await candidates.osmosis('memory', { wire: V03 })), name: 'osmosis, dialect 0.3' },
    });
  }
  pairs.push({
    python: await slow(candidates.join('stand-in for 0.2.17', await peers.start('peer.v02_server', ['--verify']))),
    ours: { ...(await candidates.osmosis('memory')), name: 'osmosis, dialect 0.2' },
  });
  const all = pairs.flatMap(({ python, ours }) => [python, ours]);
  for (const [index, concurrency] of CONCURRENCIES.entries()) {
    const windows = await interleave(all, { concurrency, warmUp: index === 0 ? WARM_UP : 0 });
    for (const [which, { name }] of all.entries()) {
      const measured = windows[which]!;
      const add = (what: string, unit: string, figure: (window: Window) => number): void =>
        figures.add({ name: `${concurrency}: ${name}${what}`, value: median(measured.map(figure)), unit });
      add('', 'rollouts/s', rate);
      add('', 's CPU/1,000', ({ cpu }) => cpu);
      add(', p99', 'ms', ({ p99 }) => p99);
    }
    for (const [pair, { python }] of pairs.entries()) {
      const theirs = windows[2 * pair]!;
      const ours = windows[2 * pair + 1]!;
      const { name } = python;
      figures.add({ name: `${concurrency}: CPU, ${name} of ours`, unit: 'x', ...ratio(theirs, ours) });
      const times = median(ours.map(rate)) / median(theirs.map(rate));
      const rounds = ours.map((window, round) => rate(window) / rate(theirs[round]!));
      figures.add({ name: `${concurrency}: rollouts/s, ours of ${name}`, value: times, unit: 'x', ...rangeOf(rounds) });
    }
  }
} finally {
  await candidates.close();
  figures.print();
}
