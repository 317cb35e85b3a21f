import { Logger } from '@nestjs/common';
import {
  PeerStatusError,
  PeerTimeoutError,
  type TrainerMessage,
  type DeliveryAttempt,
  type Trainer,
  type TrainerAddress,
} from '#domain';
import { FakeClock } from '../../test/support/fake.clock.js';
import { RecordingLogger } from '../../test/support/recording.logger.js';
import { DeliveryService } from './delivery.service.js';
import { newParcel, type Parcel } from './parcel.js';
import { rolloutOptions, type DeliveryOptions } from './rollout.options.js';
import { MemoryRolloutStore, type RolloutStore, type StoredAttempt } from './store/index.js';
import { TrainerRegistry } from './trainer.registry.js';
import { TrajectoryWriter } from './trajectory/trajectory.writer.js';

const HOUR_MS = 3_600_000;
const address: TrainerAddress = { dialect: 'test', url: 'http://trainer', apiKey: null };

/** What reached the trainer. */
interface Seen {
  readonly message: TrainerMessage;
  readonly attempt: DeliveryAttempt;
  readonly at: number;
}

class NotingStore extends MemoryRolloutStore {
  readonly failures: StoredAttempt[] = [];
  readonly ends: [string, string][] = [];
  override attemptFailed = (_rolloutId: string, attempt: StoredAttempt): void => void this.failures.push(attempt);
  override ended = (...[rolloutId, delivery]: Parameters<RolloutStore['ended']>): void =>
    void this.ends.push([rolloutId, delivery]);
}

const busy = (retryAfterMs?: number): Error => new PeerStatusError('busy', { status: 503, retryAfterMs });
const refused = new PeerStatusError('refused', { status: 404 });

/** Lets everything happen that needs no more time. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
}

describe('DeliveryService', () => {
  const log = new RecordingLogger();
  let clock: FakeClock;
  let store: NotingStore;
  let seen: Seen[];
  /** What becomes of an attempt; acknowledged when nothing is said. */
  let answer: (seen: Seen) => Promise<void>;

  beforeAll(() => Logger.overrideLogger(log));
  afterAll(() => Logger.overrideLogger(false));
  beforeEach(() => {
    clock = new FakeClock();
    store = new NotingStore();
    seen = [];
    answer = async () => {};
    log.lines.length = 0;
  });

  function outbox(delivery: Partial<DeliveryOptions> = {}): DeliveryService {
    const trainers = new TrainerRegistry();
    const trainer: Partial<Trainer> = {
      dialect: 'test',
      deliver: (_, message, attempt) => {
        const attempted = { message, attempt, at: clock.now() };
        seen.push(attempted);
        return answer(attempted);
      },
    };
    trainers.register(trainer as Trainer);
    const backoff = { baseDelayMs: 1_000, maxDelayMs: HOUR_MS };
    const options = rolloutOptions({ clock, delivery: { backoff, ...delivery } });
    return new DeliveryService(trainers, new TrajectoryWriter(options), store, options);
  }

  function parcel(rolloutId = 'r', url = 'http://trainer/done'): Parcel {
    return newParcel(rolloutId, address, { url, body: `outcome of ${rolloutId}` }, clock.now());
  }

  function failing(...errors: readonly Error[]): void {
    answer = async () => {
      const error = errors[seen.length - 1];
      if (error) throw error;
    };
  }

  it('hands a completion to its trainer, and notes the end', async () => {
    await expect(outbox().deliver(parcel())).resolves.toBe('delivered');
    expect(seen).toMatchObject([
      { message: { body: 'outcome of r' }, attempt: { idempotencyKey: 'r:completed', number: 1 } },
    ]);
    expect(store.ends).toEqual([['r', 'delivered']]);
  });

  it('tries again with the same message and key, after growing delays', async () => {
    failing(busy(), new PeerTimeoutError('no answer'), busy());
    const sent = parcel();
    const delivered = outbox().deliver(sent);
    for (const [failures, longest] of [
      [1, 2_000],
      [2, 4_000],
      [3, 8_000],
    ] as const) {
      await settle();
      expect(seen).toHaveLength(failures);
      const waitsMs = sent.nextAttemptAt! - clock.now();
      expect(waitsMs).toBeGreaterThanOrEqual(longest / 2);
      expect(waitsMs).toBeLessThanOrEqual(longest);
      clock.advance(waitsMs - 1);
      await settle();
      expect(seen).toHaveLength(failures);
      clock.advance(1);
    }
    await expect(delivered).resolves.toBe('delivered');
    expect(seen.map(({ attempt }) => attempt.number)).toEqual([1, 2, 3, 4]);
    expect(new Set(seen.map(({ message }) => message))).toEqual(new Set([sent.message]));
    expect(new Set(seen.map(({ attempt }) => attempt.idempotencyKey))).toEqual(new Set(['r:completed']));
    expect(store.failures.map(({ number, error }) => [number, error])).toEqual([
      [1, 'busy'],
      [2, 'no answer'],
      [3, 'busy'],
    ]);
    expect(sent).toMatchObject({ attempts: 4, nextAttemptAt: null, dead: false });
  });

  it('NT-03: waits as long as the trainer asks', async () => {
    failing(busy(60_000));
    const delivered = outbox().deliver(parcel());
    await settle();
    clock.advance(59_999);
    await settle();
    expect(seen).toHaveLength(1);
    clock.advance(1);
    await expect(delivered).resolves.toBe('delivered');
  });

  it('LC-07: gives up at once what the trainer refuses for good, and says so', async () => {
    failing(refused);
    const sent = parcel();
    await expect(outbox().deliver(sent)).resolves.toBe('dead');
    expect(sent).toMatchObject({ dead: true, attempts: 1, lastError: 'refused' });
    expect(store.ends).toEqual([['r', 'dead']]);
    expect(log.lines).toEqual([
      expect.stringMatching(/^error rollout "r": the completion is a dead letter after 1 attempt\(s\): refused/),
    ]);
  });

  it('gives up what nobody knows how to send', async () => {
    const sent = newParcel('r', { ...address, dialect: 'esperanto' }, { url: 'x', body: '' }, clock.now());
    await expect(outbox().deliver(sent)).resolves.toBe('dead');
    expect(sent.lastError).toContain("No trainer speaks the dialect 'esperanto'");
  });

  it('gives up after the allowed retries, not counting attempts from before it was sent again', async () => {
    answer = () => Promise.reject(busy());
    const delivery = outbox({ maxRetries: 2 });
    const sent = newParcel('r', address, { url: 'http://trainer/done', body: '' }, clock.now(), 5);
    const ended = delivery.deliver(sent);
    for (let attempt = 0; attempt < 2; attempt++) {
      await settle();
      clock.advance(HOUR_MS);
    }
    await expect(ended).resolves.toBe('dead');
    expect(seen.map(({ attempt }) => attempt.number)).toEqual([6, 7, 8]);
  });

  it('gives up at the horizon, counted from when the outcome was sealed', async () => {
    answer = () => Promise.reject(busy());
    const sent = parcel();
    const ended = outbox({ horizonMs: 10 * HOUR_MS }).deliver(sent);
    await settle();
    while (!sent.dead) {
      clock.advance(HOUR_MS / 2);
      await settle();
    }
    await expect(ended).resolves.toBe('dead');
    const last = seen.at(-1)!.at - sent.since;
    expect(last).toBeGreaterThan(8 * HOUR_MS);
    expect(last).toBeLessThanOrEqual(10 * HOUR_MS);
  });

  it('sends a trainer so many at a time, and lets it hold up no other one', async () => {
    const open: (() => void)[] = [];
    answer = ({ message }) =>
      message.url.startsWith('http://slow') ? new Promise((resolve) => open.push(resolve)) : Promise.resolve();
    const delivery = outbox({ perTrainer: 2 });
    const slow = ['a', 'b', 'c'].map((id) => delivery.deliver(parcel(id, `http://slow/${id}`)));
    const quick = await Promise.all(['d', 'e', 'f'].map((id) => delivery.deliver(parcel(id, `http://quick/${id}`))));
    expect(quick).toEqual(['delivered', 'delivered', 'delivered']);
    expect(open).toHaveLength(2);
    expect(delivery.pendingCount).toBe(3);
    open[0]!();
    await settle();
    expect(open).toHaveLength(3);
    open.forEach((resolve) => resolve());
    await expect(Promise.all(slow)).resolves.toEqual(['delivered', 'delivered', 'delivered']);
    expect(delivery.pendingCount).toBe(0);
  });

  describe('when the server stops', () => {
    it.each([
      [true, 'warn', 'it will be after the next start'],
      [false, 'error', 'it is lost, because no store has it'],
    ])('postpones what waits for its next attempt; stored: %p', async (stored, level, text) => {
      failing(busy());
      const delivery = outbox();
      const sent = { ...parcel(), stored };
      const ended = delivery.deliver(sent);
      await settle();
      delivery.stop();
      await expect(ended).resolves.toBe('postponed');
      expect(sent.dead).toBe(false);
      expect(store.ends).toEqual([]);
      expect(log.lines.at(-1)).toMatch(new RegExp(`^${level} rollout "r": .*${text}`));
    });

    it('ends the attempts under way, lets none of those begin that wait for their turn, and takes no more', async () => {
      answer = ({ attempt }) => new Promise((_, reject) => attempt.cancellation.onCancel(reject));
      const delivery = outbox({ perTrainer: 1 });
      const ended = ['a', 'b'].map((id) => delivery.deliver(parcel(id)));
      await settle();
      delivery.stop();
      ended.push(delivery.deliver(parcel('c')));
      await expect(Promise.all(ended)).resolves.toEqual(['postponed', 'postponed', 'postponed']);
      expect(seen).toHaveLength(1);
      expect(delivery.pendingCount).toBe(0);
    });
  });
});
