import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  backoffDelayMs,
  Cancellation,
  describeThrown,
  OsmosisError,
  PeerError,
  sleep,
  type CompletionMessage,
  type RolloutRequest,
  type Trainer,
} from '#domain';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from './rollout.options.js';

/**
 * Brings sealed outcomes to their trainers. Knows nothing of how they came about and never changes them: an outcome whose
 * delivery fails stays what it is.
 */
@Injectable()
export class DeliveryService {
  private readonly logger = new Logger('Delivery');
  private readonly stopping = new Cancellation();
  private pending = 0;
  private idle: (() => void) | null = null;

  constructor(@Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions) {}

  get pendingCount(): number {
    return this.pending;
  }

  /** Tries until the trainer acknowledges, refuses for good, or the horizon is reached. Never throws. */
  async deliver(trainer: Trainer, request: RolloutRequest, message: CompletionMessage): Promise<boolean> {
    this.pending++;
    try {
      await this.untilAcknowledged(trainer, request, message);
      return true;
    } catch (error) {
      this.logger.error(
        `rollout ${JSON.stringify(request.rolloutId)}: the completion could not be delivered to ${message.url}: ${describeThrown(error)}`,
      );
      return false;
    } finally {
      if (--this.pending === 0) this.idle?.();
    }
  }

  /** Waits for what is under way; gives up what is left after the grace. */
  async drain(graceMs: number): Promise<void> {
    if (this.pending === 0) return;
    const done = new Promise<void>((resolve) => (this.idle = resolve));
    await Promise.race([done, sleep(this.options.clock, graceMs)]);
    this.stopping.cancel(new OsmosisError('SHUTDOWN', 'the server stopped before the trainer acknowledged'));
    if (this.pending > 0) await done;
  }

  private async untilAcknowledged(
    trainer: Trainer,
    request: RolloutRequest,
    message: CompletionMessage,
  ): Promise<void> {
    const { clock, delivery } = this.options;
    const giveUpAt = clock.monotonic() + delivery.horizonMs;
    const idempotencyKey = `${request.rolloutId}:completed`;
    for (let number = 1; ; number++) {
      try {
        return await trainer.deliver(request, message, { idempotencyKey, number });
      } catch (error) {
        if (!OsmosisError.is(error) || !error.retryable || number > (delivery.maxRetries ?? Infinity)) throw error;
        const retryAfterMs = error instanceof PeerError ? error.retryAfterMs : undefined;
        const delayMs = backoffDelayMs(delivery.backoff, number, retryAfterMs);
        if (clock.monotonic() + delayMs > giveUpAt) throw error;
        this.logger.warn(
          `rollout ${JSON.stringify(request.rolloutId)}: delivery attempt ${number} failed, next in ${Math.round(delayMs)} ms: ${error.message}`,
        );
        await sleep(clock, delayMs, this.stopping);
      }
    }
  }
}
