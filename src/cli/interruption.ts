import { Cancellation, OsmosisError } from '#domain';
import { SIGNAL_EXIT } from '../../cli/exit-codes.js';
import { StopSignals } from '../../serving/stop-signals.js';

/** The first Ctrl-C or SIGTERM cancels what a command does, so that it can keep what is done; a second one ends it. */
export class Interruption {
  readonly cancellation = new Cancellation();
  readonly #signals = new StopSignals();
  #exitCode: number | null = null;

  constructor() {
    this.#signals.serving();
    void this.#signals.received.then((signal) => {
      this.#exitCode = SIGNAL_EXIT[signal];
      this.cancellation.cancel(new OsmosisError('CANCELLED', `Interrupted by ${signal}.`));
    });
  }

  /** What the command ends with; null while nothing has interrupted it. */
  get exitCode(): number | null {
    return this.#exitCode;
  }

  dispose(): void {
    this.#signals.dispose();
  }
}
