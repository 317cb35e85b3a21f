import type { DeliveryResult, DeliveryUnderWay } from './delivery.service.js';
import type { Parcel } from './parcel.js';

/** What a trainer is told before the outcome is sealed, on its way. The outcome's own message waits for it. */
export class Announcement {
  /** Settles when it is delivered, given up, postponed or withdrawn. */
  readonly result: Promise<DeliveryResult>;
  #underWay: DeliveryUnderWay | null = null;
  #withdrawn = false;
  #pending = true;

  /**
   * @param written settles when the store has it, or will not have it
   * @param begin starts the delivery
   */
  constructor(
    readonly parcel: Parcel,
    written: Promise<void>,
    begin: (parcel: Parcel) => DeliveryUnderWay,
  ) {
    this.result = this.#deliver(written, begin);
  }

  /** Neither delivered nor given up. */
  get isPending(): boolean {
    return this.#pending;
  }

  /** The trainer is not to be told any more. */
  withdraw(): void {
    this.#withdrawn = true;
    this.#underWay?.withdraw();
  }

  async #deliver(written: Promise<void>, begin: (parcel: Parcel) => DeliveryUnderWay): Promise<DeliveryResult> {
    await written;
    if (this.#withdrawn) return 'postponed';
    this.#underWay = begin(this.parcel);
    const result = await this.#underWay.result;
    this.#pending = result === 'postponed';
    return result;
  }
}
