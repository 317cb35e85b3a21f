import type { CommandContext } from './command-context.js';
import { ProgressBar } from './progress-bar.js';

function contextOf(columns: number | undefined, overrides: Partial<CommandContext> = {}) {
  const written: string[] = [];
  const stderr = { columns, write: (text: string) => written.push(text) };
  const terminal = { stdin: true, stdout: true, stderr: true };
  const paint = { stdout: (_: string, text: string) => text, stderr: (_: string, text: string) => text };
  return { written, context: { stderr, terminal, paint, env: {}, quiet: false, json: false, ...overrides } as never };
}

describe('ProgressBar', () => {
  it.each([
    [undefined, 80],
    [0, 80],
    [60, 60],
    [200, 200],
  ])('stays in one line of a terminal of %s columns', (columns, most) => {
    const { written, context } = contextOf(columns);
    new ProgressBar(context, 'Testing').update(300, 300, 'x'.repeat(300));
    const line = written.join('').replace('\r\u001b[2K', '');
    expect(line).toMatch(/^Testing \[#{24}\] 300\/300/);
    expect(line).toHaveLength(most - 1);
  });

  it('writes nothing where nobody watches', () => {
    for (const silent of [{ quiet: true }, { json: true }, { env: { TERM: 'dumb' } }]) {
      const { written, context } = contextOf(80, silent);
      new ProgressBar(context, 'Testing').update(1, 2);
      expect(written).toEqual([]);
    }
  });
});
