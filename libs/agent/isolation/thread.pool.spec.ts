import { setTimeout as pause } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { CompiledPackage } from '../../../test/support/compiled.package.js';
import { agentOptions } from '../agent.options.js';
import type { IsolatedAnswer } from './isolated.protocol.js';
import { ThreadEndedError } from './thread.end.js';
import { ThreadPool } from './thread.pool.js';

/** Longer than any of these tests. */
const LIMIT_MS = 600_000;

/** A class file that needs nothing installed. */
const METHODS = `
import { threadId } from 'node:worker_threads';
const calls = [];
class Unexported {}
export class Methods {
  add(input) { calls.push(input); return { sum: input.a + input.b, calls: calls.length, thread: threadId }; }
  spin() { for (;;); }
  leave() { process.exit(7); }
  hoard() { const kept = []; for (;;) kept.push(Array.from({ length: 10_000 }, (_, index) => ({ index }))); }
  async late() { setTimeout(() => { throw new Error('from a timer'); }, 5); await new Promise(() => {}); }
  aftermath() { setTimeout(() => { throw new Error('after the answer'); }, 5); return 1; }
  throwsNext() { setImmediate(() => { throw new Error('after the answer'); }); return 1; }
  async silences() { (await import('node:worker_threads')).parentPort.close(); return 1; }
  async silencesAndLeaves() { await this.silences(); setImmediate(() => process.exit(7)); return 1; }
  leavesNext() { setImmediate(() => process.exit(7)); return 1; }
  async rejects() { throw 'a text'; }
  fields() { return this.audit.lines.length; }
  own() { this.seen = 1; return this.seen; }
  closure() { return { call: () => 1 }; }
  rich() {
    const price = { cents: 150, toJSON() { return '1.50'; } };
    return { price, prices: [price], at: new Date(0), map: new Map([['a', 1]]), not: NaN, big: 5n, none: undefined };
  }
  circle() { const it = { name: 'ring' }; it.self = it; return it; }
}
`;

/** Real threads; the class is a file on disk, as it is for every application. */
describe('ThreadPool', () => {
  let compiled: CompiledPackage;
  let file: string;
  let pool: ThreadPool;

  beforeAll(async () => {
    compiled = await CompiledPackage.create();
    file = pathToFileURL(await compiled.write('app/methods.js', METHODS)).href;
    pool = open({ threads: 1, maxHeapMb: 64 });
  });
  afterAll(async () => {
    await pool.onApplicationShutdown();
    await compiled.remove();
  });

  function open(isolation: { readonly threads: number; readonly maxHeapMb?: number }): ThreadPool {
    return new ThreadPool(agentOptions({ isolation }), compiled.threadFile);
  }

  interface Call {
    readonly limitMs?: number;
    readonly signal?: AbortSignal;
    readonly files?: readonly string[];
    readonly exportName?: string;
  }

  function run(methodName: string, args: readonly unknown[] = [], call: Call = {}): Promise<IsolatedAnswer> {
    const { limitMs = LIMIT_MS, signal = new AbortController().signal, files = [file], exportName = 'Methods' } = call;
    return pool.run({
      task: { files, exportName, methodName, args, inputIsInstance: false },
      limitMs,
      signal,
      timedOut: () => new Error(`over ${limitMs} ms`),
    });
  }

  async function value(methodName: string, args: readonly unknown[] = []): Promise<unknown> {
    const answer = await run(methodName, args);
    if (answer.outcome !== 'returned') throw new Error(answer.message);
    return answer.value;
  }

  it('runs a method of a class in another thread, which keeps its module between calls', async () => {
    const first = await value('add', [{ a: 1, b: 2 }]);
    expect(first).toEqual({ sum: 3, calls: 1, thread: expect.any(Number) });
    expect((first as { thread: number }).thread).toBeGreaterThan(0);
    expect(await value('add', [{ a: 2, b: 2 }])).toEqual({ ...(first as object), sum: 4, calls: 2 });
  });

  it('ends an endless loop at its limit, and serves the next call with a new thread', async () => {
    await expect(run('spin', [], { limitMs: 200 })).rejects.toThrow('over 200 ms');
    expect(await value('add', [{ a: 1, b: 1 }])).toMatchObject({ sum: 2, calls: 1 });
  });

  it('ends an endless loop at the signal, with its reason', async () => {
    const controller = new AbortController();
    const running = run('spin', [], { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('the rollout was cancelled')), 200);
    await expect(running).rejects.toThrow('the rollout was cancelled');
    await expect(run('add', [], { signal: controller.signal })).rejects.toThrow('the rollout was cancelled');
  });

  it('a call that waits for a thread does not lose its own time to the one before', async () => {
    const spinning = run('spin', [], { limitMs: 3_000 });
    const waiting = [1, 2, 3].map((a) => run('add', [{ a, b: 0 }], { limitMs: 2_500 }));
    await expect(spinning).rejects.toThrow('over 3000 ms');
    const answers = await Promise.all(waiting);
    expect(answers).toMatchObject([1, 2, 3].map((sum) => ({ outcome: 'returned', value: { sum } })));
  });

  it.each([
    ['leave', /ended its thread with process\.exit \(code 7\)/],
    ['hoard', /ran out of memory/],
    ['late', /error that nobody caught: from a timer/],
  ])('%s ends its own thread alone', async (methodName, message) => {
    const failure: unknown = await run(methodName).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(ThreadEndedError);
    expect((failure as Error).message).toMatch(message);
    expect(await value('add', [{ a: 1, b: 1 }])).toMatchObject({ sum: 2 });
  });

  it('a thread that dies of what an answered call left behind fails no later call', async () => {
    expect(await value('aftermath')).toBe(1);
    for (let tries = 0; tries < 20; tries++) {
      expect(await value('add', [{ a: tries, b: 1 }])).toMatchObject({ sum: tries + 1 });
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  });

  it.each(['throwsNext', 'leavesNext'])('%s: a thread that dies when it has answered has answered', async (method) => {
    for (let tries = 0; tries < 20; tries++) expect(await value(method)).toBe(1);
    expect(await value('add', [{ a: 1, b: 1 }])).toMatchObject({ sum: 2 });
  });

  it('a method that closes the port of its thread holds up nothing', async () => {
    expect(await value('silences')).toBe(1);
    expect(await value('add', [{ a: 1, b: 1 }])).toMatchObject({ sum: 2 });
    // What it has answered is heard of, or it is lost with the thread: then its limit ends the call.
    const ending = run('silencesAndLeaves', [], { limitMs: 500 }).then(
      (answer) => answer.outcome,
      (error: Error) => error.message,
    );
    expect(await Promise.race([ending, pause(45_000, 'hangs', { ref: false })])).not.toBe('hangs');
    expect(await value('add', [{ a: 1, b: 1 }])).toMatchObject({ sum: 2 });
  }, 90_000);

  it('says what was thrown, whatever it was, and that there are no injected fields', async () => {
    expect(await run('rejects')).toMatchObject({ outcome: 'threw', message: 'a text' });
    expect(await run('fields')).toMatchObject({
      outcome: 'threw',
      message: expect.stringMatching(
        /reading 'lines'.*no injected or initialised fields; missing here: this\.audit\)$/,
      ),
      stack: expect.stringContaining('methods.js'),
    });
    expect(await value('own')).toBe(1);
  });

  it('sends back what has a form without its class, and refuses functions by name', async () => {
    expect(await value('rich')).toEqual({
      price: '1.50',
      prices: ['1.50'],
      at: new Date(0),
      map: new Map([['a', 1]]),
      not: NaN,
      big: 5n,
      none: undefined,
    });
    const ring = (await value('circle')) as { self: unknown };
    expect(ring.self).toBe(ring);
    expect(await run('closure')).toMatchObject({
      outcome: 'threw',
      message: expect.stringMatching(/could not be cloned/),
    });
    await expect(run('add', [{ call: () => 1 }])).rejects.toMatchObject({ name: 'DataCloneError' });
  });

  it('says which file has no such class, or cannot be loaded', async () => {
    expect(await run('add', [], { exportName: 'Unexported' })).toEqual({
      outcome: 'not loaded',
      message: `None of its files exports the class Unexported: ${file}`,
    });
    const typescript = pathToFileURL(await compiled.write('app/typed.tsx', 'export class Methods {}')).href;
    expect(await run('add', [], { files: [typescript] })).toMatchObject({
      outcome: 'not loaded',
      message: expect.stringMatching(/typed\.tsx cannot be loaded in a thread: .*isolation: \{ execArgv:/),
    });
  });

  it('says what is missing when the package was bundled into one file', async () => {
    const bundled = new ThreadPool(agentOptions(), compiled.path('dist/isolated.worker.js'));
    const call = {
      task: { files: [file], exportName: 'Methods', methodName: 'add', args: [], inputIsInstance: false },
    };
    const signal = new AbortController().signal;
    const run = bundled.run({ ...call, signal, limitMs: LIMIT_MS, timedOut: () => new Error('over') });
    await expect(run).rejects.toThrow(/isolated\.worker\.js is missing\. Leave nestjs-osmosis out when you bundle/);
    await bundled.onApplicationShutdown();
  });

  it('has no thread before the first call, and none after the shutdown', async () => {
    const idle = open({ threads: 3 });
    await idle.onApplicationShutdown();
    const busy = open({ threads: 1 });
    const spinning = busy.run({
      task: { files: [file], exportName: 'Methods', methodName: 'spin', args: [], inputIsInstance: false },
      limitMs: LIMIT_MS,
      signal: new AbortController().signal,
      timedOut: () => new Error('over'),
    });
    const ended = expect(spinning).rejects.toMatchObject({ code: 'SHUTDOWN' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await busy.onApplicationShutdown();
    await ended;
  });
});
