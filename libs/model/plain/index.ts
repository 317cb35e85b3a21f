/** The room without Nest, for programs that must start fast. */
export { ChatModels } from '../chat-models.service.js';
export { HostedCompletion } from '../chat.wire.js';
export { HostedChatModel, type HostedChatCall, type RetryPolicy } from '../hosted.chat-model.js';
export * from '../model.error.js';
export { ModelMemory } from '../model.memory.js';
export { parseModelName, type ModelName } from '../model.name.js';
export type { ModelModuleOptions } from '../model.options.js';
export type { Environment, ModelSpec, ResolvedModel } from '../model.resolver.js';
export { parameterRoot } from '../parameter.rules.js';
export * from '../provider.definition.js';
export { ModelNotFoundError, ProviderRequestError, type ProviderFaultKind } from '../provider.error.js';
export { ProviderRegistry } from '../provider.registry.js';
export { PROVIDER_TABLE } from '../provider.table.js';
