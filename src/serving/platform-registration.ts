import { Inject, Injectable, Logger } from '@nestjs/common';
import { createAuth, type AuthServices } from '#auth/plain';
import { OsmosisError } from '#domain';
import { createWorkspace, type RegistrationResult, type ServerRegistration as Registration } from '#workspace/plain';
import type { CommandContext } from '../cli/command-context.js';
import { COMMAND_CONTEXT } from '../cli/command-context.token.js';
import { registrationRecord, registrationText } from './registration-report.js';
import type { RegisteredServer, ServerRegistration } from './server-registration.js';

interface Services {
  readonly auth: AuthServices;
  readonly registration: Registration;
}

/** Registers the served agent with the Osmosis platform, as whoever is logged in, and tells on stderr how that went. */
@Injectable()
export class PlatformRegistration implements ServerRegistration {
  readonly #logger = new Logger('Registration');
  #services: Services | null = null;

  constructor(@Inject(COMMAND_CONTEXT) private readonly context: CommandContext) {}

  async requireLogin(): Promise<void> {
    const { logins, store } = this.#open().auth;
    try {
      await logins.require();
    } catch (error) {
      if (!OsmosisError.is(error)) throw error;
      const nobody = error.code === 'AUTH_REQUIRED' && !logins.isFromEnvironment && (await store.list()).length === 0;
      const message = nobody
        ? "Not logged in. Please run 'osmosis login' first, or use --skip-register for local testing."
        : `${error.message} Or use --skip-register to serve without the platform.`;
      throw new OsmosisError(error.code, message, { cause: error });
    }
  }

  async start({ agentName, ...server }: RegisteredServer): Promise<void> {
    this.#open().registration.start({ ...server, agent: agentName, onResult: (result) => this.#tell(result) });
  }

  async stop(timeoutMs: number): Promise<void> {
    const services = this.#services;
    this.#services = null;
    await services?.registration.stop(timeoutMs);
    await services?.auth.close();
  }

  #open(): Services {
    this.#services ??= this.#connect();
    return this.#services;
  }

  #connect(): Services {
    const auth = createAuth({ env: this.context.env, version: this.context.version, log: this.#logger });
    return { auth, registration: createWorkspace(auth, { log: this.#logger }).registration };
  }

  #tell(result: RegistrationResult): void {
    const { terminal, json, stderr, paint } = this.context;
    const level = result.isHealthy ? 'log' : 'warn';
    if (!terminal.stderr || json) {
      const { message, facts } = registrationRecord(result);
      this.#logger[level](message, facts);
    } else if (Logger.isLevelEnabled(level)) {
      stderr.write(registrationText(result, paint.stderr));
    }
  }
}
