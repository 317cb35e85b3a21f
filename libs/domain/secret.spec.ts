import { Console } from 'node:console';
import { Writable } from 'node:stream';
import { format, inspect } from 'node:util';
import { OsmosisError } from './osmosis.error.js';
import { hasControlCharacters, Secret } from './secret.js';

const KEY = 'SECRET-7f3a';

function secret(value = KEY): Secret {
  const made = Secret.from(value);
  if (!made) throw new Error('no secret');
  return made;
}

/** What a console writes when asked for it. */
function printed(print: (console: Console) => void): string {
  let text = '';
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  print(new Console(stream, stream));
  return text;
}

describe('Secret', () => {
  it('gives its value to whoever reveals it', () => {
    expect(secret().reveal()).toBe(KEY);
  });

  it('NT-15: drops surrounding white space, as of a key that was read from a file', () => {
    expect(Secret.from(` ${KEY}\r\n`)?.reveal()).toBe(KEY);
  });

  it.each([null, undefined, '', ' \n'])('is no secret at all when there is nothing to keep: %j', (value) => {
    expect(Secret.from(value)).toBeNull();
  });

  it.each<[string, (key: Secret) => string]>([
    ['a template string', (key) => `${String(key)} ${key as unknown as string}`],
    ['concatenation', (key) => 'Bearer ' + (key as unknown as string)],
    ['JSON', (key) => JSON.stringify({ headers: { authorization: key } })],
    ['util.inspect', (key) => inspect({ deep: { key } }, { depth: 9, showHidden: true })],
    ['util.format', (key) => format('%s %j %o %O %d', key, key, key, key, key)],
  ])('AU-05: %s shows [secret] in its place', (_, show) => {
    const text = show(secret());
    expect(text).toContain('[secret]');
    expect(text).not.toContain(KEY);
  });

  it.each<[string, (key: Secret) => unknown]>([
    ['a copy of its fields', (key) => ({ ...key })],
    ['a structured clone', (key) => structuredClone(key)],
    ['its own property names', (key) => Reflect.ownKeys(key)],
    ['an inspection that ignores custom inspectors', (key) => inspect(key, { customInspect: false, showHidden: true })],
  ])('AU-05: %s holds nothing', (_, copy) => {
    expect(inspect(copy(secret()), { depth: 9 })).not.toContain(KEY);
  });

  it('AU-05: console.dir, console.log and console.table of an error that carries it show nothing', () => {
    const error = new OsmosisError('UNAUTHORIZED', 'refused', {
      cause: new Error('inner', { cause: { key: secret() } }),
      details: { request: { apiKey: secret() } },
    });
    const text = printed((console) => {
      console.dir(error, { depth: 9 });
      console.dir(error, { depth: 9, showHidden: true });
      console.log(error, secret(), '%s', secret());
      console.table([{ key: secret() }]);
    });
    expect(text).toContain('refused');
    expect(text).not.toContain(KEY);
  });
});

describe('hasControlCharacters', () => {
  it.each(['a\nb', 'a\rb', '\u0000', '\t', 'a\u007f', '\u0085'])('NT-15: %j could not travel in a header', (value) => {
    expect(hasControlCharacters(value)).toBe(true);
  });

  it.each(['', KEY, 'a b', 'schlüssel'])('%j could', (value) => {
    expect(hasControlCharacters(value)).toBe(false);
  });
});
