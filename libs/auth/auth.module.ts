import {
  ConfigurableModuleBuilder,
  Inject,
  Logger,
  Module,
  type FactoryProvider,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { LogoutService } from './account/logout.service.js';
import { WhoAmIService } from './account/whoami.service.js';
import { createAuth, type AuthServices } from './auth.services.js';
import { AUTH_SETTINGS, type AuthModuleOptions } from './auth.settings.js';
import { CredentialStore } from './credentials/credential.store.js';
import { LoginResolver } from './credentials/login.resolver.js';
import { LoginService } from './login/login.service.js';
import { PlatformClient } from './platform/platform.client.js';

/** Injection token of the {@link AuthServices}, all at once. */
export const AUTH_SERVICES = Symbol.for('osmosis:auth-services');

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<AuthModuleOptions>({
  moduleName: 'Auth',
})
  .setClassMethodName('forRoot')
  .setExtras({ isGlobal: false }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
  .build();

/**
 * Login to the Osmosis platform: the flows, the stored credentials, and the client for its API. The services are plain
 * classes, so that the command line can have them without Nest; here each is a provider.
 *
 * @example AuthModule.forRoot({ env: process.env, version: '1.2.3' })
 */
@Module({
  providers: [
    {
      provide: AUTH_SERVICES,
      useFactory: (options: AuthModuleOptions) => createAuth({ ...options, log: options.log ?? new Logger('Auth') }),
      inject: [MODULE_OPTIONS_TOKEN],
    },
    { provide: AUTH_SETTINGS, useFactory: ({ settings }: AuthServices) => settings, inject: [AUTH_SERVICES] },
    part(CredentialStore, ({ store }) => store),
    part(LoginResolver, ({ logins }) => logins),
    part(PlatformClient, ({ client }) => client),
    part(LoginService, ({ login }) => login),
    part(WhoAmIService, ({ whoami }) => whoami),
    part(LogoutService, ({ logout }) => logout),
  ],
  exports: [
    AUTH_SERVICES,
    AUTH_SETTINGS,
    CredentialStore,
    LoginResolver,
    PlatformClient,
    LoginService,
    WhoAmIService,
    LogoutService,
  ],
})
export class AuthModule extends ConfigurableModuleClass implements OnApplicationShutdown {
  constructor(@Inject(AUTH_SERVICES) private readonly services: AuthServices) {
    super();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.services.close();
  }
}

function part<Service>(
  type: new (...args: never[]) => Service,
  from: (services: AuthServices) => Service,
): FactoryProvider<Service> {
  return { provide: type, useFactory: from, inject: [AUTH_SERVICES] };
}
