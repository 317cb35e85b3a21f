/** The part of the room without Nest, for programs that must start fast. */
export * from '../dataset/index.js';
