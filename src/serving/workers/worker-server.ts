import { Injectable, Logger } from '@nestjs/common';
import { EXIT, Secret } from '#domain';
import type { CommandContext } from '../../cli/command-context.js';
import type { ServePlan } from '../serve-plan.js';
import { ServerFront } from '../server-front.js';
import { serveLogger } from '../stderr.logger.js';
import { StopSignals } from '../stop-signals.js';

/** `serve --workers`: several processes that serve one port and one store, until a signal comes. */
@Injectable()
export class WorkerServer {
  private readonly logger = new Logger('Workers');

  constructor(private readonly front: ServerFront) {}

  /** Resolves with the exit code after every worker has drained, or with that of a worker that could not start. */
  async serve(context: CommandContext, plan: ServePlan): Promise<number> {
    const { workers: count, port, traceDir, apiKeys } = plan;
    // Loaded when wanted: it brings SQLite into this thread, which a server alone does without.
    const { WorkerKeeper } = await import('./worker-keeper.js');
    const generatedKey = apiKeys.kind === 'generated' ? apiKeys.key.reveal() : undefined;
    const keeper = new WorkerKeeper({ count, port, traceDir, generatedKey });
    const signals = new StopSignals(process, (code) => {
      keeper.kill();
      process.exit(code);
    });
    Logger.overrideLogger(serveLogger(context, plan.logLevel));
    try {
      await this.front.requireLogin(plan);
      const started = await keeper.start();
      // The worker has said why.
      if (typeof started === 'number') return started;
      signals.serving();
      const facts = { ...started.facts, workers: keeper.workers };
      await this.front.open(context, plan, facts, Secret.from(started.key));
      await signals.received;
      this.logger.log(`Stopping ${count} workers. Press Ctrl-C again to stop at once.`);
      await Promise.all([keeper.stop(), this.front.close(plan)]);
      return EXIT.ok;
    } finally {
      keeper.kill();
      signals.dispose();
    }
  }
}
