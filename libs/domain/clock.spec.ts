import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Cancellation } from './cancellation.js';
import { sleep, systemClock } from './clock.js';
import { OsmosisError } from './osmosis.error.js';

const DAY_MS = 86_400_000;
const reason = new OsmosisError('CANCELLED', 'enough');

describe('systemClock', () => {
  it('tells wall time, and a time for durations', () => {
    const before = Date.now();
    expect(systemClock.now()).toBeGreaterThanOrEqual(before);
    const first = systemClock.monotonic();
    expect(systemClock.monotonic()).toBeGreaterThanOrEqual(first);
  });

  it('does not keep the process alive for a timer', () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    try {
      const timer = systemClock.after(60_000, () => {});
      const systemTimer = timers.mock.results[0]?.value as NodeJS.Timeout;
      expect(systemTimer.hasRef()).toBe(false);
      timer.stop();
    } finally {
      timers.mockRestore();
    }
  });

  describe('after', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    it('calls back once, when the delay is over', () => {
      const callback = jest.fn();
      systemClock.after(1_000, callback);
      jest.advanceTimersByTime(999);
      expect(callback).not.toHaveBeenCalled();
      jest.advanceTimersByTime(10_000);
      expect(callback).toHaveBeenCalledTimes(1);
    });

    it('takes delays above 2^31 ms, which a timer of Node would end at once', () => {
      const callback = jest.fn();
      systemClock.after(60 * DAY_MS, callback);
      jest.advanceTimersByTime(60 * DAY_MS - 1);
      expect(callback).not.toHaveBeenCalled();
      jest.advanceTimersByTime(1);
      expect(callback).toHaveBeenCalledTimes(1);
      expect(jest.getTimerCount()).toBe(0);
    });

    it('keeps the millisecond for long delays, which wait in a list', () => {
      const fired: string[] = [];
      systemClock.after(60_000, () => fired.push('second'));
      systemClock.after(30_000, () => fired.push('first'));
      const timer = systemClock.after(45_000, () => fired.push('never'));
      jest.advanceTimersByTime(29_999);
      expect(fired).toEqual([]);
      jest.advanceTimersByTime(1);
      expect(fired).toEqual(['first']);
      timer.stop();
      jest.advanceTimersByTime(29_999);
      expect(fired).toEqual(['first']);
      jest.advanceTimersByTime(1);
      expect(fired).toEqual(['first', 'second']);
      expect(jest.getTimerCount()).toBe(0);
    });

    it('never fires for an endless delay', () => {
      const callback = jest.fn();
      systemClock.after(Infinity, callback);
      jest.advanceTimersByTime(400 * DAY_MS);
      expect(callback).not.toHaveBeenCalled();
    });

    it('calls back soon for no delay and for one in the past, but never at once', () => {
      const callback = jest.fn();
      systemClock.after(0, callback);
      systemClock.after(-5_000, callback);
      expect(callback).not.toHaveBeenCalled();
      jest.advanceTimersByTime(1);
      expect(callback).toHaveBeenCalledTimes(2);
    });

    it.each([1_000, 60_000, 60 * DAY_MS])('can be stopped, also in the midst of %d ms', (delayMs) => {
      const callback = jest.fn();
      const timer = systemClock.after(delayMs, callback);
      jest.advanceTimersByTime(delayMs / 2);
      timer.stop();
      expect(jest.getTimerCount()).toBe(0);
      jest.advanceTimersByTime(delayMs);
      expect(callback).not.toHaveBeenCalled();
    });
  });
});

describe('a timer that is late because the event loop was blocked', () => {
  const LIMIT_MS = 100;

  function block(ms: number): void {
    for (const end = performance.now() + ms; performance.now() < end;);
  }

  /** Two ends of a real connection. */
  async function connectPair(): Promise<{ readonly near: Socket; readonly far: Socket; close(): void }> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
    const near = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await new Promise((resolve) => near.once('connect', resolve));
    const far = await accepted;
    const close = (): void => {
      near.destroy();
      far.destroy();
      server.close();
    };
    return { near, far, close };
  }

  it('LC-13: comes after the answer that had arrived meanwhile, where a timer of Node comes before it', async () => {
    const { near, far, close } = await connectPair();
    try {
      const order: string[] = [];
      near.once('data', () => order.push('answer'));
      setTimeout(() => order.push('timer of Node'), LIMIT_MS);
      const fired = new Promise<void>((resolve) =>
        systemClock.after(LIMIT_MS, () => {
          order.push('timer of the clock');
          resolve();
        }),
      );
      far.write('the answer');
      block(3 * LIMIT_MS);
      await fired;
      expect(order).toEqual(['timer of Node', 'answer', 'timer of the clock']);
    } finally {
      close();
    }
  });

  it('LC-13: does not come at all when the answer stops it', async () => {
    const { near, far, close } = await connectPair();
    try {
      const timedOut = jest.fn();
      const timer = systemClock.after(LIMIT_MS, timedOut);
      near.once('data', () => timer.stop());
      far.write('the answer');
      block(3 * LIMIT_MS);
      await new Promise((resolve) => setTimeout(resolve, LIMIT_MS));
      expect(timedOut).not.toHaveBeenCalled();
    } finally {
      close();
    }
  });

  it.each([0, 1, 2, 3])(
    'can be stopped after %d of the three turns that it waits, the last of which calls back',
    (turns) => {
      jest.useFakeTimers();
      let now = 0;
      const clock = jest.spyOn(performance, 'now').mockImplementation(() => now);
      try {
        const fired = jest.fn();
        const timer = systemClock.after(1, fired);
        now = LIMIT_MS;
        for (let turn = 0; turn < turns; turn++) jest.advanceTimersToNextTimer();
        timer.stop();
        expect(jest.getTimerCount()).toBe(0);
        expect(fired).toHaveBeenCalledTimes(turns === 3 ? 1 : 0);
      } finally {
        clock.mockRestore();
        jest.useRealTimers();
      }
    },
  );
});

describe('sleep', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('resolves after the delay', async () => {
    const sleeping = sleep(systemClock, 1_000);
    await jest.advanceTimersByTimeAsync(1_000);
    await expect(sleeping).resolves.toBeUndefined();
  });

  it('rejects with the reason as soon as it is cancelled, and leaves no timer behind', async () => {
    const cancellation = new Cancellation();
    const sleeping = sleep(systemClock, 1_000, cancellation);
    cancellation.cancel(reason);
    await expect(sleeping).rejects.toBe(reason);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('does not begin when it is cancelled already', async () => {
    const cancellation = new Cancellation();
    cancellation.cancel(reason);
    await expect(sleep(systemClock, 1_000, cancellation)).rejects.toBe(reason);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('takes its listener back at the end, so that a long rollout does not gather them', async () => {
    const leave = jest.fn();
    const cancellation = { onCancel: jest.fn(() => ({ leave })) };
    const sleeping = sleep(systemClock, 1_000, cancellation);
    expect(leave).not.toHaveBeenCalled();
    await jest.advanceTimersByTimeAsync(1_000);
    await sleeping;
    expect(cancellation.onCancel).toHaveBeenCalledTimes(1);
    expect(leave).toHaveBeenCalledTimes(1);
  });
});
