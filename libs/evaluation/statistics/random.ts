/** A random number below 1, and not below 0. */
export type Random = () => number;

const { imul } = Math;

/**
 * A small generator of good quality for resampling, with the same sequence for the same seed: mulberry32 (Tommy Ettinger,
 * public domain). Not for secrets.
 */
export function seededRandom(seed: number): Random {
  // Signed, so that the state stays a small integer for the engine and not an object on the heap.
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
