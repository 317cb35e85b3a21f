import { SIGNAL_EXIT } from '../cli/exit-codes.js';

export type StopSignal = keyof typeof SIGNAL_EXIT;

/** What is needed of a process. */
type SignalSource = Pick<NodeJS.EventEmitter, 'on' | 'removeListener'>;

/**
 * SIGINT and SIGTERM for a server. The first asks it to drain; before it serves, and for every further signal, the
 * process ends at once: a second one means that somebody has had enough.
 */
export class StopSignals {
  /** The first signal that came while the server was serving. */
  readonly received: Promise<StopSignal>;
  #serving = false;
  #count = 0;
  #resolve: (signal: StopSignal) => void = () => {};
  readonly #onSignal = (signal: StopSignal): void => this.#handle(signal);

  constructor(
    private readonly source: SignalSource = process,
    private readonly exit: (code: number) => void = (code) => process.exit(code),
  ) {
    this.received = new Promise((resolve) => (this.#resolve = resolve));
    for (const signal of Object.keys(SIGNAL_EXIT)) source.on(signal, this.#onSignal);
  }

  /** From now on a signal drains. */
  serving(): void {
    this.#serving = true;
  }

  dispose(): void {
    for (const signal of Object.keys(SIGNAL_EXIT)) this.source.removeListener(signal, this.#onSignal);
  }

  #handle(signal: StopSignal): void {
    this.#count++;
    if (this.#count > 1) this.exit(SIGNAL_EXIT.SIGINT);
    else if (!this.#serving) this.exit(SIGNAL_EXIT[signal]);
    else this.#resolve(signal);
  }
}
