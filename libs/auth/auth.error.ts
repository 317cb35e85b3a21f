import { OsmosisError, type OsmosisErrorOptions } from '#domain';

/** A login that did not come to its end. The message says at which step and why; nothing was stored. */
export class LoginError extends OsmosisError {
  constructor(message: string, options: OsmosisErrorOptions = {}) {
    super('LOGIN_FAILED', message, options);
  }
}

/** Nobody is logged in here. */
export class AuthRequiredError extends OsmosisError {
  constructor(message: string, options: OsmosisErrorOptions = {}) {
    super('AUTH_REQUIRED', message, options);
  }
}

/** The stored login has run out; found without asking the platform. */
export class AuthExpiredError extends OsmosisError {
  constructor(message: string, options: OsmosisErrorOptions = {}) {
    super('AUTH_EXPIRED', message, options);
  }
}

/** The platform did not accept the token. The stored login is left as it is: one 401 proves little. */
export class AuthRejectedError extends OsmosisError {
  constructor(message: string, options: OsmosisErrorOptions = {}) {
    super('AUTH_REJECTED', message, options);
  }
}

/** The credentials file, or one entry of it, cannot be understood. */
export class CredentialsInvalidError extends OsmosisError {
  constructor(message: string, options: OsmosisErrorOptions = {}) {
    super('CREDENTIALS_INVALID', message, options);
  }
}

/** The file says it was written by a newer program: never read by guess, never overwritten. */
export class CredentialsVersionError extends CredentialsInvalidError {}

/** The credentials file cannot be read, written or locked, for a reason outside its content. */
export class CredentialsUnavailableError extends OsmosisError {
  constructor(message: string, options: OsmosisErrorOptions = {}) {
    super('CREDENTIALS_UNAVAILABLE', message, options);
  }
}
