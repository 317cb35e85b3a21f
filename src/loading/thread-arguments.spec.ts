import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { threadArgumentsOf } from './thread-arguments.js';

const HOOK = 'data:text/javascript,globalThis.hooked=true';

describe('threadArgumentsOf', () => {
  it('keeps what loads modules, and nothing else', () => {
    const given = ['--inspect', '-r', './a.cjs', '--import=x', '--max-old-space-size=64', '--conditions', 'dev'];
    expect(threadArgumentsOf([...given, '--enable-source-maps', '--title=t'])).toEqual([
      '-r',
      './a.cjs',
      '--import=x',
      '--conditions',
      'dev',
      '--enable-source-maps',
    ]);
  });

  it('a thread starts with them', async () => {
    const given = ['--max-semi-space-size=64', '--import', HOOK, '--title=server'];
    const program = 'import{parentPort}from"node:worker_threads";parentPort.postMessage(globalThis.hooked)';
    const start = (execArgv: string[]): Worker => new Worker(new URL(`data:text/javascript,${program}`), { execArgv });
    expect(() => start(given)).toThrow(/invalid execArgv/);
    const [hooked] = (await once(start(threadArgumentsOf(given)), 'message')) as [unknown];
    expect(hooked).toBe(true);
  });
});
