const { promisify } = require('node:util');
const { TestEnvironment } = require('jest-environment-node');

/** The longest stall of the event loop, and the latest timer, in milliseconds. */
const STALL_MS = Number(process.env.SHAKY_STALL_MS ?? 400);
const LATE_MS = Number(process.env.SHAKY_LATE_MS ?? 60);

const cell = new Int32Array(new SharedArrayBuffer(4));

/** The largest number that Math.random gives. */
const ALMOST_ONE = 1 - 2 ** -53;

/**
 * A machine at its worst: the event loop of the tests stands still now and then, every other timer is late, and what is
 * drawn by lot is often an extreme.
 */
module.exports = class ShakyEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    this.stall();
    const real = this.global.setTimeout;
    const late = (callback, delayMs = 0, ...rest) =>
      real(callback, delayMs + (Math.random() < 0.5 && delayMs < 5_000 ? Math.random() * LATE_MS : 0), ...rest);
    late[promisify.custom] = real[promisify.custom];
    this.global.setTimeout = late;
    const { Math: itsMath } = this.global;
    const drawn = itsMath.random;
    itsMath.random = () => {
      const lot = Math.random();
      return lot < 0.25 ? 0 : lot < 0.5 ? ALMOST_ONE : drawn();
    };
  }

  async teardown() {
    clearTimeout(this.timer);
    await super.teardown();
  }

  stall() {
    // Mostly short, seldom long.
    Atomics.wait(cell, 0, 0, Math.random() ** 3 * STALL_MS);
    this.timer = setTimeout(() => this.stall(), 20 + Math.random() * 200).unref();
  }
};
