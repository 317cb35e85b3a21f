export * from './dialect.js';
export * from './osmosis-v03.controller.js';
export * from './osmosis-v03.module.js';
export * from './osmosis-v03.trainer.js';
