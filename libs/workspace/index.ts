export * from './plain/index.js';
export * from './workspace.module.js';
