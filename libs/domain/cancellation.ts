import type { OsmosisError } from './osmosis.error.js';

type Listener = (reason: OsmosisError) => void;

/**
 * How the end of a rollout reaches whatever runs on its behalf.
 *
 * An `AbortSignal` per rollout costs a third of the server's CPU, so the signal is made when somebody first asks for it;
 * our own chat client listens here directly.
 */
export class Cancellation {
  #reason: OsmosisError | null = null;
  #controller: AbortController | null = null;
  #listeners: Set<Listener> | null = null;

  /** Why it was cancelled; null while it was not. */
  get reason(): OsmosisError | null {
    return this.#reason;
  }

  get signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController();
      if (this.#reason) this.#controller.abort(this.#reason);
    }
    return this.#controller.signal;
  }

  /** The first reason stands; later calls change nothing. */
  cancel(reason: OsmosisError): void {
    if (this.#reason) return;
    this.#reason = reason;
    this.#controller?.abort(reason);
    const listeners = this.#listeners;
    this.#listeners = null;
    listeners?.forEach((listener) => listener(reason));
  }

  throwIfCancelled(): void {
    if (this.#reason) throw this.#reason;
  }

  /** Calls the listener once, at once when already cancelled. Returns how to take it back. */
  onCancel(listener: Listener): () => void {
    if (this.#reason) {
      listener(this.#reason);
      return () => {};
    }
    const listeners = (this.#listeners ??= new Set());
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** A cancellation that follows this one and can also be cancelled alone. `release` ends the following. */
  child(): { readonly cancellation: Cancellation; release(): void } {
    const cancellation = new Cancellation();
    const release = this.onCancel((reason) => cancellation.cancel(reason));
    return { cancellation, release };
  }
}
