import { InitServer } from '../support/init-server.js';
import { BodyComparer } from './corpus/compare-bodies.js';
import { INIT_BODY } from './corpus/init-body.js';
import { bodyCorpus } from './corpus/init-corpus.js';
import { describeWithPython, PythonServer } from './support/python.js';
import { ROWS } from './support/rows.js';
import { forAll } from './support/wire-answer.js';

const KEY = 'server-key-0123456789';
const ROUTE = '/v1/rollout/init';

describeWithPython('POST /v1/rollout/init: generated bodies, the peer of 0.2 and we', () => {
  const corpus = bodyCorpus(INIT_BODY);
  let peer: PythonServer;
  let silent: PythonServer;
  let ours: InitServer;
  let comparer: BodyComparer;

  beforeAll(async () => {
    [peer, silent, ours] = await Promise.all([
      PythonServer.start('peer.v02_server', ['--accept-only']),
      PythonServer.start('peer.v02_server', ['--accept-only', '--without-echo']),
      InitServer.start({ apiKeys: KEY }),
    ]);
    comparer = new BodyComparer({
      peerUrl: peer.url + ROUTE,
      silentUrl: silent.url + ROUTE,
      ourUrl: `http://127.0.0.1:${ours.port}${ROUTE}`,
      shape: INIT_BODY,
      strict: [
        { name: 'rollout_id', row: 'control-characters-in-ids', trimmed: false },
        { name: 'api_key', row: 'control-characters-in-api-key', trimmed: true },
      ],
      key: KEY,
    });
  });

  afterAll(() => Promise.all([peer?.stop(), silent?.stop(), ours?.close()]));

  it.each([...new Set(corpus.map(({ kind }) => kind))])('%s', async (kind) => {
    const cases = corpus.filter((given) => given.kind === kind);
    const differences = await forAll(cases, (given) => comparer.difference(given));
    expect(differences.filter((found) => found !== null)).toEqual([]);
  });

  it('differ in the named rows only', () => {
    expect(corpus).toHaveLength(1800);
    expect(Object.fromEntries(comparer.rows)).toEqual(ROWS.init);
  });
});
