import { Inject, Injectable, Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { describeThrown, EXIT, OsmosisError } from '#domain';
import { AgentRegistry, RolloutService } from '#osmosis';
import type { CommandContext } from '../cli/command-context.js';
import type { LoadedModule } from '../loading/loaded-module.js';
import { ModuleLoader } from '../loading/module-loader.js';
import { requireValid } from '../validation/validation.report.js';
import { ValidationService } from '../validation/validation.service.js';
import { createAgentApplication } from './agent-application.js';
import { bannerText, listeningEvent, type ServerFacts } from './banner.js';
import { explainListenFailure } from './listen-failure.js';
import { OptionsAdjustment } from './options-adjustment.js';
import type { ServePlan } from './serve-plan.js';
import { SERVER_REGISTRATION, type ServerRegistration } from './server-registration.js';
import { LOG_LEVELS, StderrLogger } from './stderr.logger.js';
import { StopSignals } from './stop-signals.js';

/** Connections that may wait to be accepted: trainers start hundreds of rollouts at a time. */
const BACKLOG = 4096;

/** Serves what `-m` names until a signal comes. */
@Injectable()
export class AgentServer {
  private readonly logger = new Logger('Serve');

  constructor(
    private readonly loader: ModuleLoader,
    private readonly validation: ValidationService,
    @Inject(SERVER_REGISTRATION) private readonly registration: ServerRegistration,
  ) {}

  /** Resolves with the exit code after the server has drained. The order of the steps is spec 2.6's. */
  async serve(context: CommandContext, plan: ServePlan): Promise<number> {
    const signals = new StopSignals();
    const onStray = (reason: unknown): void =>
      // One agent's mistake must not end the rollouts of all (spec 13.15).
      this.logger.error(`A promise was rejected and nobody handled it: ${describeThrown(reason)}`);
    process.on('unhandledRejection', onStray);
    try {
      if (plan.registrationSkipped === undefined) await this.registration.requireLogin();
      const loaded = await this.loader.load(plan.module, context.cwd);
      const adjustment = new OptionsAdjustment(plan);
      const app = await createAgentApplication(loaded, { adjust: adjustment.apply, logger: loggerFor(context, plan) });
      const facts = await this.open(plan, loaded, app, adjustment);
      signals.serving();
      this.announce(context, facts);
      await this.register(plan, facts, adjustment);
      await signals.received;
      await this.drain(plan, app);
      return EXIT.ok;
    } finally {
      process.removeListener('unhandledRejection', onStray);
      signals.dispose();
    }
  }

  /** Checks the application and opens its port; closes it when one of the two fails. */
  private async open(
    plan: ServePlan,
    loaded: LoadedModule,
    app: NestFastifyApplication,
    adjustment: OptionsAdjustment,
  ): Promise<ServerFacts> {
    try {
      const registry = app.get(AgentRegistry);
      const agents = registry.list().map(({ name }) => name);
      const agent = defaultAgent(registry);
      if (plan.registrationSkipped === undefined) requireAgent(agent, agents);
      if (plan.validate) await this.validate(loaded, app);
      const port = await listen(app, plan);
      return {
        host: plan.host,
        port,
        url: `http://${reachable(plan.host)}:${port}`,
        agent,
        agents,
        keySource: adjustment.keySource,
        generatedKey: adjustment.keySource === 'generated' ? adjustment.key?.reveal() : undefined,
        publicHost: plan.settings.get('OSMOSIS_PUBLIC_HOST'),
        registrationSkipped: plan.registrationSkipped,
        traceDir: plan.traceDir,
      };
    } catch (thrown) {
      await app.close();
      throw thrown;
    }
  }

  private async validate(loaded: LoadedModule, app: NestFastifyApplication): Promise<void> {
    const report = await this.validation.inspect(loaded, app);
    requireValid(report);
    for (const { name } of report.agents) this.logger.log(`Agent loop '${name}' validated successfully.`);
    for (const issue of report.issues) this.logger.warn(issue.text);
  }

  private announce(context: CommandContext, facts: ServerFacts): void {
    const forPeople = context.terminal.stdout && !context.json;
    context.stdout.write(forPeople ? bannerText(facts, context.paint.stdout) : listeningEvent(facts));
  }

  private async register(plan: ServePlan, facts: ServerFacts, adjustment: OptionsAdjustment): Promise<void> {
    if (plan.registrationSkipped !== undefined || facts.agent === undefined) return;
    const { settings } = plan;
    await this.registration.start({
      host: facts.host,
      port: facts.port,
      agentName: facts.agent,
      apiKey: adjustment.key,
      publicHost: facts.publicHost,
      readinessTimeoutMs: settings.get('OSMOSIS_ROLLOUT_SERVER_REGISTRATION_READINESS_TIMEOUT_SECONDS') * 1000,
      readinessPollIntervalMs:
        settings.get('OSMOSIS_ROLLOUT_SERVER_REGISTRATION_READINESS_POLL_INTERVAL_SECONDS') * 1000,
    });
  }

  private async drain({ settings, registrationSkipped }: ServePlan, app: NestFastifyApplication): Promise<void> {
    const active = app.get(RolloutService).activeCount;
    const work = active === 0 ? 'no rollout is running' : `${active} running`;
    this.logger.log(`Stopping (${work}). Press Ctrl-C again to stop at once.`);
    const stopped =
      registrationSkipped === undefined
        ? this.registration.stop(settings.get('OSMOSIS_ROLLOUT_SERVER_REGISTRATION_SHUTDOWN_TIMEOUT_SECONDS') * 1000)
        : Promise.resolve();
    await Promise.all([app.close(), stopped]);
  }
}

async function listen(app: NestFastifyApplication, { host, port, settings }: ServePlan): Promise<number> {
  try {
    await app.listen({ host, port, backlog: BACKLOG });
  } catch (thrown) {
    throw await explainListenFailure(settings, thrown);
  }
  const address: unknown = app.getHttpServer().address();
  return typeof address === 'object' && address !== null && 'port' in address ? Number(address.port) : port;
}

function loggerFor(context: CommandContext, { logLevel }: ServePlan): StderrLogger {
  const json = context.json || !context.terminal.stderr;
  return new StderrLogger({
    json,
    colors: !json && context.paint.stderr('red', '') !== '',
    logLevels: LOG_LEVELS[logLevel] ?? [],
  });
}

/** The agent behind `/v1/rollout/init`; undefined when there are several and none is marked. */
function defaultAgent(registry: AgentRegistry): string | undefined {
  try {
    return registry.default().name;
  } catch (error) {
    if (OsmosisError.is(error) && error.code === 'AGENT_NOT_FOUND') return undefined;
    throw error;
  }
}

function requireAgent(agent: string | undefined, agents: readonly string[]): void {
  if (agent !== undefined) return;
  throw new OsmosisError(
    'USAGE',
    `The platform registers one agent, and there are several: ${agents.join(', ')}. Choose one with --agent.`,
  );
}

/** How this machine reaches a server that listens on an address. */
function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
