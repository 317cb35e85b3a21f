export {
  EMULATED_SERVER_ROUTES,
  PlatformEmulator,
  type PlatformEmulatorOptions,
  type RecordedCall,
} from './platform-emulator.js';
export type { PlatformFault } from './platform-faults.js';
export {
  SAMPLE_MEMBERSHIPS,
  type EmulatedOrganization,
  type EmulatedUser,
  type IssuedToken,
  type Membership,
  type RegisteredServer,
} from './platform-records.js';
