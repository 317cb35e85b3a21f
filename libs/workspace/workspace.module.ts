import {
  ConfigurableModuleBuilder,
  Inject,
  Logger,
  Module,
  type BeforeApplicationShutdown,
  type FactoryProvider,
} from '@nestjs/common';
import { AUTH_SERVICES, AuthModule, type AuthModuleOptions, type AuthServices } from '#auth';
import { PublicIpDetector } from './network/public-ip.detector.js';
import { RegistrationService } from './registration/registration.service.js';
import { ServerRegistration } from './registration/server-registration.js';
import { WorkspaceService } from './workspace.service.js';
import { createWorkspace, type WorkspaceServices } from './workspace.services.js';
import type { WorkspaceModuleOptions } from './workspace.settings.js';

const WORKSPACE_SERVICES = Symbol.for('osmosis:workspace-services');

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
    {
      provide: WORKSPACE_SERVICES,
      useFactory: (auth: AuthServices, options: WorkspaceModuleOptions) =>
        createWorkspace(auth, { ...options, log: options.log ?? new Logger('Workspace') }),
      inject: [AUTH_SERVICES, MODULE_OPTIONS_TOKEN],
    },
    part(WorkspaceService, ({ workspaces }) => workspaces),
    part(PublicIpDetector, ({ publicIp }) => publicIp),
    part(RegistrationService, ({ registrations }) => registrations),
    part(ServerRegistration, ({ registration }) => registration),
  ],
  exports: [WorkspaceService, PublicIpDetector, RegistrationService, ServerRegistration],
})
export class WorkspaceModule extends ConfigurableModuleClass implements BeforeApplicationShutdown {
  constructor(@Inject(WORKSPACE_SERVICES) private readonly services: WorkspaceServices) {
    super();
  }

  /** Earlier than `onApplicationShutdown`, in which the connections to the platform are closed. */
  async beforeApplicationShutdown(): Promise<void> {
    await this.services.registration.stop();
  }
}

function part<Service>(
  type: new (...args: never[]) => Service,
  from: (services: WorkspaceServices) => Service,
): FactoryProvider<Service> {
  return { provide: type, useFactory: from, inject: [WORKSPACE_SERVICES] };
}
