export * from './error-text.js';
export * from './http-message.js';
export * from './http-transport.js';
export * from './http-url.js';
export * from './response-status.js';
export * from './retry.js';
export * from './strict-json.js';
export * from './transport.module.js';
export { HTTP_TRANSPORT_OPTIONS, type HttpTransportOptions } from './transport.options.js';
