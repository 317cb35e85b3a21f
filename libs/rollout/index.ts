export * from './delivery.service.js';
export * from './rollout.module.js';
export * from './rollout.options.js';
export * from './rollout.record.js';
export * from './rollout.service.js';
export * from './trace.writer.js';
export * from './trainer.registry.js';
