import { ConfigurableModuleBuilder, Module } from '@nestjs/common';
import { AuthModule, type AuthModuleOptions } from '#auth';
import { PublicIpDetector } from './network/public-ip.detector.js';
import { RegistrationService } from './registration/registration.service.js';
import { ServerRegistration } from './registration/server-registration.js';
import { WorkspaceService } from './workspace.service.js';
import { WORKSPACE_SETTINGS, resolveWorkspaceSettings, type WorkspaceModuleOptions } from './workspace.settings.js';

const { ConfigurableModuleClass, MODULE_OPTIONS_TOKEN } = new ConfigurableModuleBuilder<WorkspaceModuleOptions>({
  moduleName: 'Workspace',
})
  .setClassMethodName('forRoot')
  .setExtras<{ auth?: AuthModuleOptions }>({}, (definition, { auth }) => ({
    ...definition,
    imports: [...(definition.imports ?? []), AuthModule.forRoot(auth ?? {})],
    exports: [...(definition.exports ?? []), AuthModule],
  }))
  .build();

/**
 * Workspaces, and keeping a server registered with the platform. Brings `AuthModule` along.
 *
 * @example WorkspaceModule.forRoot({ auth: { env: process.env, version: '1.2.3' } })
 */
@Module({
  providers: [
    { provide: WORKSPACE_SETTINGS, useFactory: resolveWorkspaceSettings, inject: [MODULE_OPTIONS_TOKEN] },
    WorkspaceService,
    PublicIpDetector,
    RegistrationService,
    ServerRegistration,
  ],
  exports: [WorkspaceService, PublicIpDetector, RegistrationService, ServerRegistration],
})
export class WorkspaceModule extends ConfigurableModuleClass {}
