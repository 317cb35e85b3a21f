import type { OsmosisError } from './osmosis.error.js';

type Listener = (reason: OsmosisError) => void;

/** A listener's place in the list of its cancellation; in none when `list` is null. */
interface Place {
  list: Cancellation | null;
  readonly listener: Listener;
  before: Place | null;
  after: Place | null;
}

/**
 * How the end of a rollout reaches whatever runs on its behalf.
 *
 * An `AbortSignal` per rollout costs a third of the server's CPU, so the signal is made when somebody first asks for it;
 * our own chat client listens here directly. Listeners come and go with every call, eight a rollout: a list.
 */
export class Cancellation {
  #reason: OsmosisError | null = null;
  #controller: AbortController | null = null;
  #first: Place | null = null;
  #last: Place | null = null;

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
    for (let place = this.#first; place; place = this.#first) {
      this.#remove(place);
      place.listener(reason);
    }
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
    const place: Place = { list: this, listener, before: this.#last, after: null };
    if (this.#last) this.#last.after = place;
    else this.#first = place;
    this.#last = place;
    return () => this.#remove(place);
  }

  #remove(place: Place): void {
    if (place.list !== this) return;
    if (place.before) place.before.after = place.after;
    else this.#first = place.after;
    if (place.after) place.after.before = place.before;
    else this.#last = place.before;
    place.list = place.before = place.after = null;
  }

  /** A cancellation that follows this one and can also be cancelled alone. `release` ends the following. */
  child(): { readonly cancellation: Cancellation; release(): void } {
    const cancellation = new Cancellation();
    const release = this.onCancel((reason) => cancellation.cancel(reason));
    return { cancellation, release };
  }
}
