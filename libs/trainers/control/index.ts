export * from './control.module.js';
