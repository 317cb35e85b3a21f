import { Cancellation, OsmosisError } from '#domain';
import { ProviderGate } from './provider.gate.js';

/** Tasks that end when they are told to. */
class Tasks {
  readonly started: string[] = [];
  readonly #ends = new Map<string, () => void>();

  constructor(private readonly gate: ProviderGate) {}

  run(name: string, provider = 'p', cancellation = new Cancellation()): Promise<string> {
    const lanes = this.gate.lanesTo(provider, undefined);
    const task = (): Promise<string> => {
      this.started.push(name);
      const ended = new Promise<string>((resolve) => this.#ends.set(name, () => resolve(name)));
      return ended.finally(() => lanes.leave());
    };
    return lanes.enter() ? task() : lanes.wait(cancellation).then(task);
  }

  end(name: string): void {
    this.#ends.get(name)?.();
  }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the gate to a provider', () => {
  it('lets so many through at once, the others in the order in which they came', async () => {
    const tasks = new Tasks(new ProviderGate(2));
    const all = ['a', 'b', 'c', 'd'].map((name) => tasks.run(name));
    expect(tasks.started).toEqual(['a', 'b']);
    tasks.end('b');
    await turn();
    expect(tasks.started).toEqual(['a', 'b', 'c']);
    for (const name of ['a', 'c']) tasks.end(name);
    await turn();
    tasks.end('d');
    expect(await Promise.all(all)).toEqual(['a', 'b', 'c', 'd']);
    // All lanes are free again.
    void tasks.run('e');
    void tasks.run('f');
    expect(tasks.started.slice(4)).toEqual(['e', 'f']);
  });

  it('providers do not wait for each other', () => {
    const tasks = new Tasks(new ProviderGate(1));
    void tasks.run('a', 'one');
    void tasks.run('b', 'two');
    expect(tasks.started).toEqual(['a', 'b']);
  });

  it('whoever is cancelled while waiting is gone at once, and takes no lane', async () => {
    const tasks = new Tasks(new ProviderGate(1));
    const cancellation = new Cancellation();
    const first = tasks.run('a');
    const second = tasks.run('b', 'p', cancellation);
    const third = tasks.run('c');
    cancellation.cancel(new OsmosisError('CANCELLED', 'enough'));
    await expect(second).rejects.toThrow('enough');
    tasks.end('a');
    await first;
    await turn();
    expect(tasks.started).toEqual(['a', 'c']);
    tasks.end('c');
    expect(await third).toBe('c');
  });
});
