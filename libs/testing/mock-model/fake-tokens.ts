import type { ChatMessage } from '#domain';

function upTo(length: number): number[] {
  return Array.from({ length }, (_, index) => index);
}

/**
 * Token ids as the mock trainer invents them for an answer: 0, 1, 2 … one for each code point (spec 10).
 *
 * @example fakeTokenIds('hello') // [0, 1, 2, 3, 4]
 */
export function fakeTokenIds(text: string): number[] {
  return upTo([...text].length);
}

/** Token ids of a prompt: ten for each message, and ten for no message at all (spec 10). */
export function fakePromptTokenIds(messages: readonly ChatMessage[]): number[] {
  return upTo(10 * Math.max(1, messages.length));
}
