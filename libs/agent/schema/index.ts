export { jsonSchemaOf } from './class-input.js';
export { Describe } from './describe.decorator.js';
export { InputDefinitionError } from './input-definition.error.js';
export { NO_INPUT, toolInputOf } from './tool-input.js';
export type { InputCheck, InputFault, ToolInput } from './tool-input.types.js';
