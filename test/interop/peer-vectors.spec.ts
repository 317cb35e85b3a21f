import { join } from 'node:path';
import { readVectors, vectorBody } from '../support/vectors.js';
import { postBody } from './support/post-body.js';
import { describeWithPython, PythonProcess, PythonServer } from './support/python.js';
import { forAll, readAnswer } from './support/wire-answer.js';

/** The stand-in for osmosis-ai 0.2.17 is worth something only as long as it answers as the real one did. */
describeWithPython('the peer answers as osmosis-ai 0.2.17 was recorded', () => {
  it('252 init requests, all of them alike', async () => {
    const peer = await PythonServer.start('peer.v02_server', ['--accept-only']);
    const vectors = readVectors('osmosis-0.2-init.json');
    const answers = await forAll(vectors, async (vector) => {
      const { 'content-type': contentType = null, authorization } = vector.headers;
      const body = Buffer.from(vectorBody(vector));
      return readAnswer(await postBody(`${peer.url}/v1/rollout/init`, body, contentType, authorization));
    });
    await peer.stop();
    expect(answers).toHaveLength(252);
    expect(answers).toEqual(vectors.map(({ status, detail = null }) => ({ status, detail })));
  });

  it('146 calls of helpers, all of them alike', async () => {
    const peer = PythonProcess.start('peer.answer_calls', [join(__dirname, '../vectors/osmosis-0.2-helpers.json')]);
    const replayed: unknown = JSON.parse(await peer.line());
    await peer.stop();
    expect(replayed).toEqual({ calls: 146, otherwise: [] });
  });
});
