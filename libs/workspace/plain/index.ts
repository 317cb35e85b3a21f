/** All of this room that does without Nest: `import … from '#workspace/plain'`. */
export * from '../network/ip-address.js';
export { PublicIpDetectionError, PublicIpDetector, type DetectionOptions } from '../network/public-ip.detector.js';
export type { RegistrationResult } from '../registration/registration.result.js';
export { RegistrationService, type ServerAddress } from '../registration/registration.service.js';
export { ServerRegistration, type RegistrationRun } from '../registration/server-registration.js';
export * from '../workspace.service.js';
export { createWorkspace, type WorkspaceServices } from '../workspace.services.js';
export type { RegistrationRoutes, WorkspaceModuleOptions } from '../workspace.settings.js';
