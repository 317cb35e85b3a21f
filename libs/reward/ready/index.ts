export * from './answers.js';
export * from './structures.js';
