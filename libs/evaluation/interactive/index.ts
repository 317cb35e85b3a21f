export { InteractiveRunner, type InteractiveOptions } from './interactive.runner.js';
export { StreamLines, type InteractiveIo } from './line.input.js';
