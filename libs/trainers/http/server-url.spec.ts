import { serverUrlProblem } from './server-url.js';

// As Python 3.11's urlparse has it.
describe('serverUrlProblem (spec 1.2)', () => {
  it.each([
    ...['http://h', 'HTTP://h', 'https://h:80/p', 'http://user:pw@h', 'http://:80', 'http://h:99999', 'http://h#f'],
    ...[
      'http://h/?a=b',
      'http://a b',
      ' http://h',
      'http://h ',
      'http://h\n',
      'ht\ttp://h',
      '\u0001http://h',
      'http://é',
    ],
    ...['http://[::1]:80', 'http://u@[::1]', 'http://[::1%eth0]', 'http://[v1.a]', 'http://h/[x'],
  ])('takes %j', (url) => {
    expect(serverUrlProblem(url)).toBeNull();
  });

  it.each(['ftp://h', 'h', '', '//h', 'localhost:8080', 'httpx://h', '\u00a0http://h', 'http ://h', 'javascript:x'])(
    'wants http or https: %j',
    (url) => {
      expect(serverUrlProblem(url)).toBe('server_url must use http or https scheme');
    },
  );

  it.each(['http://', 'http:///p', 'http://?q', 'http:h', 'http:/h', 'http://\t', 'http:\\\\h'])(
    'wants a host: %j',
    (url) => {
      expect(serverUrlProblem(url)).toBe('server_url must have a valid host');
    },
  );

  it.each(['http://[::1', 'http://::1]', 'http://[zz]', 'http://[1.2.3.4]', 'http://[]', 'http://[[::1]'])(
    'refuses brackets around anything but an IPv6 address: %j',
    (url) => {
      expect(serverUrlProblem(url)).toBe('Invalid IPv6 URL');
    },
  );

  it('refuses a host that turns into another URL', () => {
    expect(serverUrlProblem('http://h\u2100.example')).toContain('NFKC');
  });
});
