import { Injectable, Logger } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { describeThrown, EXIT, OsmosisError } from '#domain';
import { AgentRegistry, RolloutService } from '#osmosis';
import type { CommandContext } from '../cli/command-context.js';
import type { LoadedModule } from '../loading/loaded-module.js';
import { ModuleLoader } from '../loading/module-loader.js';
import { requireValid } from '../validation/validation.report.js';
import { ValidationService } from '../validation/validation.service.js';
import { createAgentApplication } from './agent-application.js';
import type { ServerFacts } from './banner.js';
import { explainListenFailure } from './listen-failure.js';
import { OptionsAdjustment } from './options-adjustment.js';
import type { ServePlan } from './serve-plan.js';
import { ServerFront } from './server-front.js';
import { serveLogger } from './stderr.logger.js';
import { StopSignals } from './stop-signals.js';
import type { WorkerLink } from './workers/worker-link.js';

/** Connections that may wait to be accepted: trainers start hundreds of rollouts at a time. */
const BACKLOG = 4096;

/** Serves what `-m` names until a signal comes. */
@Injectable()
export class AgentServer {
  private readonly logger = new Logger('Serve');

  constructor(
    private readonly loader: ModuleLoader,
    private readonly validation: ValidationService,
    private readonly front: ServerFront,
  ) {}

  /**
   * Resolves with the exit code after the server has drained. The order of the steps is spec 2.6's.
   *
   * @param worker set in one of several workers; who keeps them shows and registers the server
   */
  async serve(context: CommandContext, plan: ServePlan, worker?: WorkerLink): Promise<number> {
    const signals = new StopSignals();
    const onStray = (reason: unknown): void =>
      // One agent's mistake must not end the rollouts of all (spec 13.15).
      this.logger.error(`A promise was rejected and nobody handled it: ${describeThrown(reason)}`);
    process.on('unhandledRejection', onStray);
    try {
      if (!worker) await this.front.requireLogin(plan);
      const loaded = await this.loader.load(plan.module, context.cwd);
      const adjustment = new OptionsAdjustment(plan, worker);
      const logger = serveLogger(context, plan.logLevel, worker?.assignment.number);
      const app = await createAgentApplication(loaded, { adjust: adjustment.apply, logger });
      const facts = await this.open(plan, loaded, app, adjustment);
      signals.serving();
      if (worker) worker.serving({ facts, key: adjustment.key?.reveal() ?? null });
      else await this.front.open(context, plan, facts, adjustment.key);
      await (worker ? Promise.race([signals.received, worker.stopped]) : signals.received);
      this.logDrain(app.get(RolloutService).activeCount);
      await Promise.all([app.close(), worker ? undefined : this.front.close(plan)]);
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

  private logDrain(active: number): void {
    const work = active === 0 ? 'no rollout is running' : `${active} running`;
    this.logger.log(`Stopping (${work}). Press Ctrl-C again to stop at once.`);
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
