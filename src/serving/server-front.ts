import { Inject, Injectable } from '@nestjs/common';
import type { Secret } from '#domain';
import type { CommandContext } from '../cli/command-context.js';
import { bannerText, listeningEvent, type ServerFacts } from './banner.js';
import type { ServePlan } from './serve-plan.js';
import { SERVER_REGISTRATION, type ServerRegistration } from './server-registration.js';

/** What others hear of a server: its banner, and its registration with the platform. */
@Injectable()
export class ServerFront {
  constructor(@Inject(SERVER_REGISTRATION) private readonly registration: ServerRegistration) {}

  /** Before anything is loaded. See {@link ServerRegistration.requireLogin} for what it throws. */
  async requireLogin({ registrationSkipped }: ServePlan): Promise<void> {
    if (registrationSkipped === undefined) await this.registration.requireLogin();
  }

  /** @param key one of the accepted ones; null when none is checked */
  async open(context: CommandContext, plan: ServePlan, facts: ServerFacts, key: Secret | null): Promise<void> {
    const forPeople = context.terminal.stdout && !context.json;
    context.stdout.write(forPeople ? bannerText(facts, context.paint.stdout) : listeningEvent(facts));
    await this.register(plan, facts, key);
  }

  /** Ends the registration. */
  async close({ settings, registrationSkipped }: ServePlan): Promise<void> {
    if (registrationSkipped !== undefined) return;
    await this.registration.stop(settings.get('OSMOSIS_ROLLOUT_SERVER_REGISTRATION_SHUTDOWN_TIMEOUT_SECONDS') * 1000);
  }

  private async register({ settings, registrationSkipped }: ServePlan, facts: ServerFacts, apiKey: Secret | null) {
    if (registrationSkipped !== undefined || facts.agent === undefined) return;
    await this.registration.start({
      host: facts.host,
      port: facts.port,
      agentName: facts.agent,
      apiKey,
      publicHost: facts.publicHost,
      readinessTimeoutMs: settings.get('OSMOSIS_ROLLOUT_SERVER_REGISTRATION_READINESS_TIMEOUT_SECONDS') * 1000,
      readinessPollIntervalMs:
        settings.get('OSMOSIS_ROLLOUT_SERVER_REGISTRATION_READINESS_POLL_INTERVAL_SECONDS') * 1000,
    });
  }
}
