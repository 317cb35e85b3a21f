import { describeThrown } from './thrown.js';

describe('LC-15: describeThrown', () => {
  it.each<[unknown, string]>([
    ['boom', 'boom'],
    ['', 'an empty string was thrown'],
    [' \n', 'an empty string was thrown'],
    [undefined, 'undefined was thrown'],
    [null, 'null was thrown'],
    [7, '7'],
    [false, 'false'],
    [10n, '10'],
    [Symbol('why'), 'Symbol(why)'],
    [{ code: 7 }, '{"code":7}'],
    [{}, '{}'],
    [{ message: 'like an error' }, 'like an error'],
    [{ message: 7 }, '{"message":7}'],
    [[1, 2], '[1,2]'],
    [() => 1, 'an unnamed value was thrown'],
    [new Error('plain'), 'plain'],
    [new TypeError(''), 'TypeError without a message'],
    [Object.assign(new Error(' '), { name: '' }), 'Error without a message'],
  ])('%p reads %j', (thrown, text) => {
    expect(describeThrown(thrown)).toBe(text);
  });

  it('Promise.reject() without a reason', async () => {
    await expect(Promise.reject().catch(describeThrown)).resolves.toBe('undefined was thrown');
  });

  const circle: { self?: unknown } = {};
  circle.self = circle;
  const revoked = Proxy.revocable({}, {});
  revoked.revoke();

  it.each<[string, unknown]>([
    [
      'an error whose message throws',
      Object.defineProperty(new Error(), 'message', {
        get() {
          throw new Error('again');
        },
      }),
    ],
    ['an error whose name is no text', Object.assign(new Error(), { name: Symbol('name') })],
    ['an object that contains itself', circle],
    ['a revoked proxy', revoked.proxy],
  ])('%s does not throw again', (_, thrown) => {
    expect(describeThrown(thrown)).toBe('an error that cannot be read was thrown');
  });
});
