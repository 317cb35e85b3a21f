export * from './init-request.js';
export * from './osmosis-v02.controller.js';
export * from './osmosis-v02.module.js';
export * from './osmosis-v02.trainer.js';
