import { isIpv4, isPrivateIp, isValidHostnameOrIp, isWildcard } from './ip-address.js';

describe('addresses (spec 12.10)', () => {
  it.each(['8.8.8.8', '192.168.1.1', '0.0.0.0', '255.255.255.255', '127.0.0.1'])('%j is IPv4', (text) => {
    expect(isIpv4(text)).toBe(true);
  });

  it.each([
    '256.1.1.1',
    'words',
    '',
    '::1',
    '1.2.3',
    '1.2.3.4.5',
    '01.2.3.4',
    '1.2.3.04',
    ' 1.2.3.4',
    '1.2.3.4\n',
    '1.2.3.4.',
  ])('%j is not IPv4', (text) => {
    expect(isIpv4(text)).toBe(false);
  });

  it.each([
    ...['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.0.1', '127.0.0.1', '169.254.1.1', '0.1.2.3', '192.0.2.1'],
    ...[
      '198.18.0.1',
      '198.51.100.1',
      '203.0.113.1',
      '240.0.0.1',
      '::1',
      'fc00::1',
      'fd12::1',
      'fe80::1',
      '::ffff:10.0.0.1',
    ],
  ])('%j is private', (text) => {
    expect(isPrivateIp(text)).toBe(true);
  });

  it.each([
    '54.123.45.67',
    '8.8.8.8',
    '1.1.1.1',
    '172.32.0.1',
    '100.64.0.1',
    '224.0.0.1',
    '2606:4700::1111',
    'invalid',
    '',
  ])('%j is not private', (text) => {
    expect(isPrivateIp(text)).toBe(false);
  });

  it.each([
    ...[
      '8.8.8.8',
      '256.1.1.1',
      '1.2.3',
      'example.com',
      'localhost',
      'a',
      '1',
      'my-host',
      '_x',
      'a_b.example',
      'host:8080',
    ],
    ...['host:99999999', 'a'.repeat(63), '[::1]', '[2001:db8::1]:80'],
  ])('%j is a host', (text) => {
    expect(isValidHostnameOrIp(text)).toBe(true);
  });

  it.each([
    ...[
      '',
      'a b',
      'a'.repeat(64),
      `${'a.'.repeat(130)}a`,
      `${'a.'.repeat(126)}aa`,
      'host:abc',
      'host:',
      ':80',
      'a:1:2',
    ],
    ...['a.', '.a', 'a..b', '-a', 'a-', '::1', 'http://x', 'bücher.example', 'example.com\n', '[x]'],
  ])('%j is no host', (text) => {
    expect(isValidHostnameOrIp(text)).toBe(false);
  });

  it('`::` is a wildcard like 0.0.0.0', () => {
    expect(['0.0.0.0', '::', '[::]', '127.0.0.1', '::1'].map(isWildcard)).toEqual([true, true, true, false, false]);
  });
});
