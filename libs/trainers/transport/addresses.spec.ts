import { execFile } from 'node:child_process';
import { lookup } from 'node:dns/promises';
import { promisify } from 'node:util';
import { CERTIFICATE_FILE } from './fixtures/scripted-peer.js';
import { failureOf, postTo, transportHarness } from './fixtures/transport-harness.js';

describe('where trainers are', () => {
  const { transport, peer, rawPeer, onClose } = transportHarness();

  describe('addresses', () => {
    it('NT-11: [::1] works', async () => {
      const server = await peer([{ body: 'six' }], { host: '::1' });
      expect((await transport().post(postTo(server.origin))).body.toString()).toBe('six');
    });

    it.each(['127.0.0.1', '::1'])('NT-11: localhost works for a server on %s only', async (host) => {
      // Some hosts do not count ::1 among the addresses of localhost; then nobody can find such a server.
      const known = await lookup('localhost', { all: true });
      if (!known.some(({ address }) => address === host)) return;
      const server = await peer([{ body: 'here' }], { host });
      const url = `http://localhost:${server.port}/`;
      expect((await transport().post(postTo(url))).body.toString()).toBe('here');
    });

    it('does not go through a proxy of the environment: the bearer is for the trainer only', async () => {
      const proxy = await peer([{ body: 'proxy' }]);
      const server = await peer([{ body: 'trainer' }]);
      process.env['HTTP_PROXY'] = proxy.origin;
      onClose(() => void delete process.env['HTTP_PROXY']);
      expect((await transport().post(postTo(server.origin))).body.toString()).toBe('trainer');
      expect(proxy.connections).toBe(0);
    });

    it('says what is wrong when nothing listens', async () => {
      // The port "discard": nobody serves it, and no system hands it out.
      const origin = 'http://127.0.0.1:9';
      const error = await failureOf(transport().post(postTo(`${origin}/v1?key=hidden`)));
      expect(error).toMatchObject({ code: 'TRANSPORT', retryable: true, details: { cause: 'ECONNREFUSED' } });
      expect(error.message).toContain(`POST ${origin}/v1 failed: connect ECONNREFUSED`);
      expect(error.message).toContain('Nothing listens there');
      expect(error.message).not.toContain('hidden');
    });

    it.each(['not a url', 'ftp://host/', 'http://a b/', 'http://host:99999/', 'http://user:SECRET-7f3a@:80/'])(
      'refuses %s without another try',
      async (url) => {
        const error = await failureOf(transport().post(postTo(url)));
        expect(error).toMatchObject({ code: 'TRANSPORT', retryable: false });
        expect(error.message).not.toContain('SECRET-7f3a');
      },
    );

    it('reports an answer that is no HTTP', async () => {
      const server = await rawPeer((socket) => socket.write('SSH-2.0-OpenSSH_9.9\r\n'));
      expect(await failureOf(transport().post(postTo(server.origin)))).toMatchObject({
        code: 'PROTOCOL',
        retryable: true,
      });
    });
  });

  describe('NT-12: TLS', () => {
    const trusting = process.env['NODE_EXTRA_CA_CERTS'] === CERTIFICATE_FILE;

    it('names the code of a self-signed certificate and the cure', async () => {
      if (trusting) return;
      const server = await peer([{}], { tls: true });
      const error = await failureOf(transport().post(postTo(server.origin)));
      expect(error).toMatchObject({ code: 'TRANSPORT', details: { cause: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
      expect(error.message).toContain('DEPTH_ZERO_SELF_SIGNED_CERT');
      expect(error.message).toContain('NODE_EXTRA_CA_CERTS');
      expect(server.requests).toHaveLength(0);
    });

    it('talks to a certificate that NODE_EXTRA_CA_CERTS vouches for', async () => {
      // The variable is read at the start of the process: the test runs itself once more in one that has it.
      if (!trusting) {
        const jest = require.resolve('jest/bin/jest');
        await promisify(execFile)(process.execPath, [jest, __filename, '-t', 'vouches for'], {
          env: { ...process.env, NODE_EXTRA_CA_CERTS: CERTIFICATE_FILE },
        });
        return;
      }
      const server = await peer([{ body: 'trusted' }], { tls: true });
      expect((await transport().post(postTo(server.origin))).body.toString()).toBe('trusted');
    }, 60_000);
  });
});
