export { ModelModule } from './model.module.js';
export { MODEL_OPTIONS } from './model.options.js';
export * from './plain/index.js';
