import { Inject, Injectable, Logger } from '@nestjs/common';
import type { AuthServices } from '#auth/plain';
import { OsmosisError } from '#domain';
import type { RegistrationResult, ServerRegistration as Registration } from '#workspace/plain';
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
  #services: Promise<Services> | null = null;

  constructor(@Inject(COMMAND_CONTEXT) private readonly context: CommandContext) {}

  async requireLogin(): Promise<void> {
    const { logins, store } = (await this.#open()).auth;
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
    const { registration } = await this.#open();
    registration.start({ ...server, agent: agentName, onResult: (result) => this.#tell(result) });
  }

  async stop(timeoutMs: number): Promise<void> {
    const services = await this.#services;
    this.#services = null;
    await services?.registration.stop(timeoutMs);
    await services?.auth.close();
  }

  #open(): Promise<Services> {
    this.#services ??= this.#connect();
    return this.#services;
  }

  /** Loads what it needs by itself: a server without registration does without it. */
  async #connect(): Promise<Services> {
    const [{ openAuth }, { createWorkspace }] = await Promise.all([
      import('../account/command-auth.js'),
      import('#workspace/plain'),
    ]);
    const auth = openAuth(this.context);
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
