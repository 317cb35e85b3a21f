import fc from 'fast-check';

/** JSON texts that lax validators disagree about. */
export const NUMBERS = [
  ...['0', '-0', '1', '5.0', '-5.0', '5.5', '1e2', '1E2', '1.5e1', '1e-1', '1e20', '-1e20', '1e400', '-1e400'],
  ...['0.0', '-0.0', '9007199254740993', '9223372036854775807', '9223372036854775808', '-9223372036854775809'],
  ...['123456789012345678901', '9223372036854774784.0', '9223372036854775808.0', '1e18', '1e19', '5e-324'],
  ...['1.0000000000000002', '4.9999999999999999', 'NaN', 'Infinity', '-Infinity', 'true', 'false', '01', '+1'],
  ...['.5', '5.', '0x5', '1_000', '--1', '1e', "'5'"],
];

export const NUMBER_TEXTS = [
  ...['5', ' 5 ', '+5', '-5', '05', '-05', '+05', '1_000', '1__000', '_1', '1_', '5.0', '5.00', '5.', '.0'],
  ...['5.5', '1e2', '0x5', '', ' ', '+', '-', '+-5', '- 5', '5 5', '0', '-0', '00', '0.0', '-0.0', '1_0.0'],
  ...['5.0_0', '1e0', 'NaN', 'inf', 'true', 'None', '\\u00a05', '5\\u2003', '\\u00855', '5\\ufeff', '\\u200b5'],
  ...['\\u001c5', '\\t5\\n', '\\u0665', '\\uff15', '५', '5\\u0000', '9223372036854775807'],
  ...['9223372036854775808', '99999999999999999999999999', '9'.repeat(4300), '9'.repeat(4301)],
  ...['0'.repeat(5000)],
].map((text) => `"${text}"`);

/** One of each JSON type, and the ends of each. */
export const ANY_TYPE = [
  ...['null', 'true', 'false', '0', '1', '-1', '5', '5.5', '1e30', '""', '"x"', '"5"', '"[]"', '"{}"'],
  ...['"null"', '[]', '[1]', '[[]]', '[null]', '[{}]', '[{"role": "user"}]', '[["a", 1]]', '{}', '{"a": 1}'],
  ...['{"role": "user"}', '[{}, 1, {}, "x", null]', '["http://h"]'],
];

export const URLS = [
  ...['http://h', 'HTTP://h', 'hTTps://H:80/p', 'http://user:pw@h', 'http://:80', 'http://h:99999'],
  ...['http://h#f', 'http://h/?a=b', 'http://a b', ' http://h', 'http://h ', '\\thttp://h', 'ht\\ntp://h'],
  ...['http:\\n//h', 'ftp://h', 'h', '', '//h', 'localhost:8080', 'http://', 'http:///p', 'http://?q'],
  ...['http:h', 'http:/h', 'http://[::1', 'http://::1]', 'http://[::1]:80', 'http://[x]', 'http://[]'],
  ...['http://[v1.x]', 'http://[::1%eth0]', 'http://a[::1]', 'http://[::1]a', 'https:', 'https', 'http', ':'],
  ...['://', 'http://\\u2100', 'http://\\uff0f', 'http://\\u00e9.x', 'http://\\ud83d\\ude00'],
  ...['http://h\\u0000', '\\u0000http://h', 'http\\u0000://h', 'javascript:x', 'http://h\\\\p'],
  ...['http:\\\\\\\\h', '\\u00a0http://h', '\\ufeffhttp://h', 'http://\\u00a0', 'http://#', 'http://@'],
  ...['http://:', 'http://h:port', 'file:///x', 'httpſ://h', 'HTTPS://?'],
].map((text) => `"${text}"`);

const LETTERS = ['a', 'é', '😀', ' ', '/', '..', '\\n', '\\t', '\\u0000', '\\u001f', '\\u007f', '\\u0085', '\\u00a0'];
const ODD_LETTERS = [
  ...['\\u200b', '\\u2028', '\\u3000', '\\ufeff', '\\u001c', '\\ud83d\\ude00', '\\"', '\\\\', '\\/', '\\u0065\\u0301'],
];
const HALVES = ['a', 'b', '\\ud800', '\\udc00', '\\ud83d', '\\uffff', '\\u202e'];

/** Text as JSON: letters, escapes, halves of surrogate pairs, and what some languages take for white space. */
export const escapedText = (maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.oneof(fc.constantFrom(...LETTERS), fc.constantFrom(...ODD_LETTERS), fc.constantFrom(...HALVES)), {
      maxLength,
    })
    .map((units) => `"${units.join('')}"`);

/** Any JSON value as text. */
export const anyJson: fc.Arbitrary<string> = fc.json({ maxDepth: 3, stringUnit: 'binary' });

/** An object with any fields as text. */
export const anyObject: fc.Arbitrary<string> = fc
  .dictionary(fc.string({ maxLength: 8, unit: 'grapheme' }), fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' }), {
    maxKeys: 4,
  })
  .map((object) => JSON.stringify(object));

/** What may or may not be a segment of a path. */
export const IDS = [
  ...['r1', '.', '..', '...', '', '/', 'a/b', '../other', '/tmp/other', 'a\\\\b', '\\\\tmp', 'a\\u0000b'],
  ...['a\\/b', './a', 'a/', 'tenant-a::r1', 'rid:1', '%2F', 'a%00b', ' ', ' a ', 'C:', 'C:x', 'con', '~', '-'],
  ...['ü 😀', '\\u2215', '\\uff0f', '\\u2024\\u2024', 'a\\nb', '\\u007f', 'é'],
].map((text) => `"${text}"`);

/** Null: no such header. */
export const CONTENT_TYPES = [
  ...['application/json', 'Application/JSON', 'application/json; charset=utf-8'],
  ...['application/json;charset=latin1', 'application/vnd.api+json', 'application/+json'],
  ...['application/x+JSON; a=b', 'text/json', 'text/plain', 'json', 'application/x-www-form-urlencoded'],
  ...['multipart/form-data', 'application/jsonp', 'application/json, text/plain', '*/*', 'application'],
  ...['/json', 'application/', 'application/json/x', 'application/ json', ';', 'application/problem+json+x'],
  null,
  null,
  null,
  null,
];

/** What breaks JSON, or does not. */
export const INSERTS = [
  ...['', '"', '{', '}', '[', ']', ',', ':', '\\', '\\u00', '0', '-', 'x', ' ', '\n', '\u0000', 'é', "'"],
  ...['/**/', '\u00a0', '\ufeff'],
];
