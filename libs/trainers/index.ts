export * from './client/index.js';
export * from './control/index.js';
export * from './http/index.js';
export * from './osmosis-v0.2/index.js';
export * from './osmosis-v0.3/index.js';
export * from './transport/index.js';
