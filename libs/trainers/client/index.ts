export * from './chat-client.js';
export * from './client.settings.js';
