export * from './answers.js';
export * from './structures.js';
export * from './tools.js';
