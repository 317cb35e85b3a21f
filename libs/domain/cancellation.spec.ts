import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Cancellation } from './cancellation.js';
import { OsmosisError } from './osmosis.error.js';

const late = new OsmosisError('DEADLINE', 'too late');
const stopped = new OsmosisError('SHUTDOWN', 'stopping');

describe('Cancellation', () => {
  it('has no reason until it is cancelled', () => {
    const cancellation = new Cancellation();
    expect(cancellation.reason).toBeNull();
    expect(() => cancellation.throwIfCancelled()).not.toThrow();
    cancellation.cancel(late);
    expect(cancellation.reason).toBe(late);
    expect(() => cancellation.throwIfCancelled()).toThrow(late);
  });

  it('keeps the first reason, for listeners and signal alike', () => {
    const cancellation = new Cancellation();
    const listener = jest.fn();
    cancellation.onCancel(listener);
    const { signal } = cancellation;
    cancellation.cancel(late);
    cancellation.cancel(stopped);
    expect(cancellation.reason).toBe(late);
    expect(signal.reason).toBe(late);
    expect(listener.mock.calls).toEqual([[late]]);
  });

  describe('signal', () => {
    it('is made when first asked for, and once', () => {
      const Controller = AbortController;
      const make = jest.spyOn(globalThis, 'AbortController').mockImplementation(() => new Controller());
      try {
        const cancellation = new Cancellation();
        const { cancellation: child } = cancellation.child();
        cancellation.onCancel(() => {});
        cancellation.cancel(late);
        expect(child.reason).toBe(late);
        expect(make).not.toHaveBeenCalled();
        expect(cancellation.signal).toBe(cancellation.signal);
        expect(make).toHaveBeenCalledTimes(1);
      } finally {
        make.mockRestore();
      }
    });

    it('aborts with the reason, also when asked for afterwards', () => {
      const early = new Cancellation();
      const aborted = jest.fn();
      early.signal.addEventListener('abort', aborted);
      expect(early.signal.aborted).toBe(false);
      early.cancel(late);
      expect(aborted).toHaveBeenCalledTimes(1);
      expect(early.signal).toMatchObject({ aborted: true, reason: late });

      const cancelledBefore = new Cancellation();
      cancelledBefore.cancel(stopped);
      expect(cancelledBefore.signal).toMatchObject({ aborted: true, reason: stopped });
    });
  });

  describe('onCancel', () => {
    it('calls every listener once, in order', () => {
      const cancellation = new Cancellation();
      const heard: string[] = [];
      cancellation.onCancel(({ code }) => heard.push(`first ${code}`));
      cancellation.onCancel(({ code }) => heard.push(`second ${code}`));
      cancellation.cancel(late);
      expect(heard).toEqual(['first DEADLINE', 'second DEADLINE']);
    });

    it('calls a latecomer at once', () => {
      const cancellation = new Cancellation();
      cancellation.cancel(late);
      const listener = jest.fn();
      const listening = cancellation.onCancel(listener);
      expect(listener.mock.calls).toEqual([[late]]);
      expect(listening.leave()).toBe(false);
    });

    it('calls nobody who has taken it back, not even during the cancellation', () => {
      const cancellation = new Cancellation();
      const released = jest.fn();
      const releasedByOther = jest.fn();
      cancellation.onCancel(released).leave();
      cancellation.onCancel(() => other.leave());
      const other = cancellation.onCancel(releasedByOther);
      cancellation.cancel(late);
      expect(released).not.toHaveBeenCalled();
      expect(releasedByOther).not.toHaveBeenCalled();
    });
  });

  describe('child', () => {
    it('follows its parent, with the same reason', () => {
      const parent = new Cancellation();
      const { cancellation: child } = parent.child();
      const { cancellation: grandchild } = child.child();
      parent.cancel(late);
      expect(child.reason).toBe(late);
      expect(grandchild.reason).toBe(late);
    });

    it('is cancelled from the start when its parent was', () => {
      const parent = new Cancellation();
      parent.cancel(late);
      expect(parent.child().cancellation.reason).toBe(late);
    });

    it('can be cancelled alone, and then keeps its own reason', () => {
      const parent = new Cancellation();
      const { cancellation: child } = parent.child();
      child.cancel(stopped);
      expect(parent.reason).toBeNull();
      parent.cancel(late);
      expect(child.reason).toBe(stopped);
    });

    it('no longer follows after release', () => {
      const parent = new Cancellation();
      const { cancellation: child, release } = parent.child();
      release();
      parent.cancel(late);
      expect(child.reason).toBeNull();
    });
  });

  describe('holds nobody in memory', () => {
    it('who has taken a listener or a child back', async () => {
      const rollout = new Cancellation();
      const gone = [listenAndRelease(rollout), followAndRelease(rollout)];
      await collectGarbage();
      expect(gone.map((reference) => reference.deref())).toEqual([undefined, undefined]);
      expect(rollout.reason).toBeNull();
    });

    it('once it is cancelled', async () => {
      const rollout = new Cancellation();
      const gone = listen(rollout);
      rollout.cancel(late);
      await collectGarbage();
      expect(gone.deref()).toBeUndefined();
    });
  });
});

function listen(cancellation: Cancellation): WeakRef<object> {
  const listener = (): void => {};
  cancellation.onCancel(listener);
  return new WeakRef(listener);
}

function listenAndRelease(cancellation: Cancellation): WeakRef<object> {
  const listener = (): void => {};
  cancellation.onCancel(listener).leave();
  return new WeakRef(listener);
}

function followAndRelease(cancellation: Cancellation): WeakRef<object> {
  const child = cancellation.child();
  child.release();
  return new WeakRef(child.cancellation);
}

/** A weak reference holds its target until the job that made it ends; only then can the collector take it. */
async function collectGarbage(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
}
