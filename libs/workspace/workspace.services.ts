import type { AuthServices } from '#auth/plain';
import { PublicIpDetector } from './network/public-ip.detector.js';
import { RegistrationService } from './registration/registration.service.js';
import { ServerRegistration } from './registration/server-registration.js';
import { WorkspaceService } from './workspace.service.js';
import { resolveWorkspaceSettings, type WorkspaceModuleOptions } from './workspace.settings.js';

/** Everything about workspaces and registering a server, put together. */
export interface WorkspaceServices {
  readonly workspaces: WorkspaceService;
  readonly publicIp: PublicIpDetector;
  /** Single conversations with the platform about a server. */
  readonly registrations: RegistrationService;
  /** Keeps a server registered. */
  readonly registration: ServerRegistration;
}

/** The same services that `WorkspaceModule` provides, for programs without Nest. Touches neither disk nor network. */
export function createWorkspace(auth: AuthServices, options: WorkspaceModuleOptions = {}): WorkspaceServices {
  const settings = resolveWorkspaceSettings(options);
  const publicIp = new PublicIpDetector(settings);
  const registrations = new RegistrationService(settings, auth.client, publicIp);
  return {
    workspaces: new WorkspaceService(auth.settings, auth.store),
    publicIp,
    registrations,
    registration: new ServerRegistration(settings, registrations),
  };
}
