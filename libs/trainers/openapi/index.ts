/** The wire's bodies as classes, for OpenAPI documents. An entry of its own: class-validator takes long to load. */
export * from '../http/health.dto.js';
export * from '../osmosis-v0.2/init.dto.js';
export * from '../osmosis-v0.3/rollout.dto.js';
