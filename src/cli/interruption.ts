import { Cancellation, OsmosisError } from '#domain';
import { StopSignals } from '../serving/stop-signals.js';
import { SIGNAL_EXIT } from './exit-codes.js';

/**
 * The first Ctrl-C or SIGTERM cancels what a command does, so that it can keep what is done; a second one ends it. Before
 * anything is worth keeping, see {@link arm}, one is enough.
 */
export class Interruption {
  readonly cancellation = new Cancellation();
  readonly #signals = new StopSignals();
  #exitCode: number | null = null;

  /** @param armed false for a command that has things to do first, such as loading a module */
  constructor(armed = true) {
    if (armed) this.arm();
    void this.#signals.received.then((signal) => this.interrupt(signal));
  }

  /** From now on a signal cancels. */
  arm(): void {
    this.#signals.serving();
  }

  /** As the signal does; for a terminal in raw mode, where Ctrl-C is a key. */
  interrupt(signal: keyof typeof SIGNAL_EXIT): void {
    this.#exitCode ??= SIGNAL_EXIT[signal];
    this.cancellation.cancel(new OsmosisError('CANCELLED', `Interrupted by ${signal}.`));
  }

  /** What the command ends with; null while nothing has interrupted it. */
  get exitCode(): number | null {
    return this.#exitCode;
  }

  dispose(): void {
    this.#signals.dispose();
  }
}
