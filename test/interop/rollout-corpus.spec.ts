import { InitServer } from '../support/init-server.js';
import { BodyComparer } from './corpus/compare-bodies.js';
import { ROLLOUT_BODY } from './corpus/init-body.js';
import { bodyCorpus } from './corpus/init-corpus.js';
import { describeWithSdk, PythonServer } from './support/python.js';
import { ROWS } from './support/rows.js';
import { forAll } from './support/wire-answer.js';

const ROUTE = '/rollout';

describeWithSdk('POST /rollout: generated bodies, the server of osmosis-ai 0.3.2 and we', () => {
  const corpus = bodyCorpus(ROLLOUT_BODY);
  let peer: PythonServer;
  let silent: PythonServer;
  let ours: InitServer;
  let comparer: BodyComparer;

  beforeAll(async () => {
    [peer, silent, ours] = await Promise.all([
      PythonServer.start('peer.v03_server'),
      PythonServer.start('peer.v03_server', ['--without-echo']),
      InitServer.start(),
    ]);
    comparer = new BodyComparer({
      peerUrl: peer.url + ROUTE,
      silentUrl: silent.url + ROUTE,
      ourUrl: `http://127.0.0.1:${ours.port}${ROUTE}`,
      shape: ROLLOUT_BODY,
      strict: [
        {
          name: 'rollout_id',
          row: 'rollout-id-control-characters',
          trimmed: false,
          surrogates: 'lone-surrogates-in-ids',
        },
        { name: 'controller_api_key', row: 'api-key-control-characters', trimmed: true },
        { name: 'llm_api_key', row: 'api-key-control-characters', trimmed: true },
      ],
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
    expect(Object.fromEntries(comparer.rows)).toEqual(ROWS.rollout);
  });
});
