/** All of this room that does without Nest: `import … from '#auth/plain'`. */
export * from '../account/account-view.js';
export * from '../account/logout.service.js';
export * from '../account/whoami.service.js';
export * from '../auth.error.js';
export { createAuth, type AuthServices } from '../auth.services.js';
export { AUTH_SETTINGS, type AuthModuleOptions, type AuthSettings, type CallbackPorts } from '../auth.settings.js';
export { CredentialStore, type RemovedLogins, type SavedLogin } from '../credentials/credential.store.js';
export * from '../credentials/credentials.js';
export { LoginResolver, type CurrentLogin } from '../credentials/login.resolver.js';
export type { Environment } from '../credentials/config-location.js';
export * from '../expiry-words.js';
export { commandBrowser, type BrowserOpener, type BrowserOutcome } from '../login/browser-opener.js';
export { silentLog, type Log } from '../log.js';
export * from '../login/login-events.js';
export type { LoginResult } from '../login/login.completion.js';
export { LoginService, type BrowserLoginOptions, type LoginOptions } from '../login/login.service.js';
export { PlatformClient, type PlatformRequestOptions } from '../platform/platform.client.js';
export { DEFAULT_PLATFORM_URL, normalizePlatformUrl } from '../platform/platform-url.js';
