import { LogoutService } from './account/logout.service.js';
import { WhoAmIService } from './account/whoami.service.js';
import { resolveAuthSettings, type AuthModuleOptions, type AuthSettings } from './auth.settings.js';
import { CredentialStore } from './credentials/credential.store.js';
import { LoginResolver } from './credentials/login.resolver.js';
import { BrowserLogin } from './login/browser.login.js';
import { DeviceLogin } from './login/device.login.js';
import { LoginCompletion } from './login/login.completion.js';
import { LoginService } from './login/login.service.js';
import { PlatformApi } from './platform/platform.api.js';
import { PlatformClient } from './platform/platform.client.js';
import { PlatformTransport } from './platform/platform.transport.js';

/** Everything that logging in needs, put together. */
export interface AuthServices {
  readonly settings: AuthSettings;
  readonly store: CredentialStore;
  readonly logins: LoginResolver;
  readonly client: PlatformClient;
  readonly login: LoginService;
  readonly whoami: WhoAmIService;
  readonly logout: LogoutService;
  /** Cuts the connections to the platform. */
  close(): Promise<void>;
}

/**
 * The same services that `AuthModule` provides, for programs without Nest. Touches neither the disk nor the network.
 *
 * @throws OsmosisError `CONFIG_INVALID` for an unusable platform URL
 */
export function createAuth(options: AuthModuleOptions = {}): AuthServices {
  const settings = resolveAuthSettings(options);
  const store = new CredentialStore(settings);
  const logins = new LoginResolver(settings, store);
  const transport = new PlatformTransport(settings);
  const client = new PlatformClient(settings, transport, logins);
  const api = new PlatformApi(settings, client);
  const completion = new LoginCompletion(settings, api, store, logins);
  const browserLogin = new BrowserLogin(settings, completion);
  const deviceLogin = new DeviceLogin(settings, api, completion);
  return {
    settings,
    store,
    logins,
    client,
    login: new LoginService(settings, store, browserLogin, deviceLogin, completion),
    whoami: new WhoAmIService(settings, store, logins, api),
    logout: new LogoutService(settings, store, logins, api),
    close: () => transport.close(),
  };
}
