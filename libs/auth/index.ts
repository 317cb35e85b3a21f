export * from './auth.module.js';
export * from './plain/index.js';
