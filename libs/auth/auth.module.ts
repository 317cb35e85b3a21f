import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { LogoutService } from './account/logout.service.js';
import { WhoAmIService } from './account/whoami.service.js';
import { AUTH_SETTINGS, resolveAuthSettings, type AuthModuleOptions } from './auth.settings.js';
import { CredentialStore } from './credentials/credential.store.js';
import { LoginResolver } from './credentials/login.resolver.js';
import { BrowserLogin } from './login/browser.login.js';
import { DeviceLogin } from './login/device.login.js';
import { LoginCompletion } from './login/login.completion.js';
import { LoginService } from './login/login.service.js';
import { PlatformApi } from './platform/platform.api.js';
import { PlatformClient } from './platform/platform.client.js';
import { PlatformTransport } from './platform/platform.transport.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<AuthModuleOptions>({
  moduleName: 'Auth',
})
  .setClassMethodName('forRoot')
  .setExtras({ isGlobal: false }, (definition, { isGlobal }) => ({ ...definition, global: isGlobal }))
  .build();

/**
 * Login to the Osmosis platform: the flows, the stored credentials, and the client for its API.
 *
 * @example AuthModule.forRoot({ env: process.env, version: '1.2.3' })
 */
@Module({
  providers: [
    { provide: AUTH_SETTINGS, useFactory: resolveAuthSettings, inject: [MODULE_OPTIONS_TOKEN] },
    CredentialStore,
    LoginResolver,
    PlatformTransport,
    PlatformClient,
    PlatformApi,
    LoginCompletion,
    BrowserLogin,
    DeviceLogin,
    LoginService,
    WhoAmIService,
    LogoutService,
  ],
  exports: [AUTH_SETTINGS, CredentialStore, LoginResolver, PlatformClient, LoginService, WhoAmIService, LogoutService],
})
export class AuthModule extends ConfigurableModuleClass {}
