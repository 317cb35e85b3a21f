import { CrewExchange } from './crew-exchange.js';
import type { WorkerProcess } from './worker-process.js';
import type { ToWorker } from './worker-protocol.js';

/** A worker that notes what it is sent. */
function scriptedWorker() {
  const sent: ToWorker[] = [];
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const worker = { ended, send: (message: ToWorker) => sent.push(message) } as unknown as WorkerProcess;
  return { worker, sent, end, idOfLast: () => (sent.at(-1) as { id: number }).id };
}

describe('CrewExchange', () => {
  afterEach(() => jest.useRealTimers());

  it('answers with what the others say, and without those that fail or end meanwhile', async () => {
    const exchange = new CrewExchange();
    const [asking, good, bad, gone] = [scriptedWorker(), scriptedWorker(), scriptedWorker(), scriptedWorker()];
    const others = [good, bad, gone];
    const passed = exchange.pass(
      { kind: 'question', id: 7, question: 'cancel', args: [{ prefix: 'job-' }] },
      asking.worker,
      others.map(({ worker }) => worker),
    );
    expect(good.sent).toMatchObject([{ kind: 'question', question: 'cancel', args: [{ prefix: 'job-' }] }]);
    exchange.answered({ kind: 'answer', id: bad.idOfLast(), error: 'still starting' });
    exchange.answered({ kind: 'answer', id: good.idOfLast(), answer: ['a cancelled one'] });
    gone.end();
    await passed;
    expect(asking.sent).toEqual([{ kind: 'answer', id: 7, answer: [['a cancelled one']] }]);
  });

  it('waits for none whose event loop is blocked; what it says too late is ignored', async () => {
    jest.useFakeTimers();
    const exchange = new CrewExchange();
    const blocked = scriptedWorker();
    const answer = exchange.ask(blocked.worker, 'takeUp', [['gone']]);
    jest.advanceTimersByTime(3_000);
    expect(await answer).toBeUndefined();
    exchange.answered({ kind: 'answer', id: blocked.idOfLast(), answer: 'late' });
  });
});
