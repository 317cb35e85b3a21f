export * from './decorators/reward.decorator.js';
export * from './reward.module.js';
export * from './reward.options.js';
export * from './reward.registry.js';
export * from './reward.service.js';
export * from './reward.types.js';
