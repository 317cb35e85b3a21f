import { serverArguments } from './node-arguments.js';

describe('serverArguments', () => {
  it('enlarges the young generation and keeps what is given', () => {
    expect(serverArguments([])).toEqual(['--max-semi-space-size=64']);
    expect(serverArguments(['--inspect', '--import', 'x'], '--no-warnings')).toEqual([
      '--inspect',
      '--import',
      'x',
      '--max-semi-space-size=64',
    ]);
  });

  it.each([
    [['--max-semi-space-size=32'], ''],
    [['--max_semi_space_size=32'], ''],
    [['--min-semi-space-size', '8'], ''],
    [[], '--trace-gc --max-semi-space-size=32'],
  ])('leaves the operator’s own size: %j, NODE_OPTIONS %j', (given, nodeOptions) => {
    expect(serverArguments(given, nodeOptions)).toEqual(given);
  });
});
