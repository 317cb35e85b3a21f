import { LinkedList } from './linked-list.js';
import type { OsmosisError } from './osmosis.error.js';

type Listener = (reason: OsmosisError) => void;

/** Somebody who is to hear of a cancellation, until they leave. */
export interface Listening {
  /** May be called more than once, and too late. */
  leave(): unknown;
}

const HEARD: Listening = { leave: () => false };

/**
 * How the end of a rollout reaches whatever runs on its behalf.
 *
 * An `AbortSignal` per rollout costs a third of the server's CPU, so the signal is made when somebody first asks for it;
 * our own chat client listens here directly. Listeners come and go with every call, eight a rollout: a list.
 */
export class Cancellation {
  #reason: OsmosisError | null = null;
  #controller: AbortController | null = null;
  readonly #listeners = new LinkedList<Listener>();

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
    for (let next = this.#listeners.shift(); next; next = this.#listeners.shift()) next(reason);
  }

  throwIfCancelled(): void {
    if (this.#reason) throw this.#reason;
  }

  /** Calls the listener once, at once when already cancelled. */
  onCancel(listener: Listener): Listening {
    if (this.#reason) {
      listener(this.#reason);
      return HEARD;
    }
    return this.#listeners.add(listener);
  }

  /** A cancellation that follows this one and can also be cancelled alone. `release` ends the following. */
  child(): { readonly cancellation: Cancellation; release(): void } {
    const cancellation = new Cancellation();
    const listening = this.onCancel((reason) => cancellation.cancel(reason));
    return { cancellation, release: () => void listening.leave() };
  }
}
