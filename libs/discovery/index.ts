export * from './class.js';
export * from './definition.problems.js';
export * from './discovery.module.js';
export * from './invocation.scope.js';
export * from './metadata.accessor.js';
export * from './method.invoker.js';
export * from './provider.explorer.js';
