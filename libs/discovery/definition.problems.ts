import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { DefinitionError, formatProblem, type DefinitionProblem } from '#domain';

/** Collects what is wrong with the application's definitions, so that one start reports all of it. */
@Injectable()
export class DefinitionProblems implements OnApplicationBootstrap {
  private readonly logger = new Logger('Definitions');
  private readonly problems: DefinitionProblem[] = [];
  private readonly pending: Promise<void>[] = [];
  private readonly lastChecks: (() => readonly DefinitionProblem[])[] = [];
  private readonly releases: (() => Promise<void>)[] = [];
  private started = false;

  get all(): readonly DefinitionProblem[] {
    return this.problems;
  }

  /** Before the start it gathers; what comes later (modules loaded lazily) cannot stop the start and is logged. */
  report(...problems: readonly DefinitionProblem[]): void {
    if (!this.started) this.problems.push(...problems);
    else for (const problem of problems) this.logger.error(`Left out: ${formatProblem(problem)}`);
  }

  /** For checks that take time; the start waits for them. They must not reject. */
  reportLater(found: Promise<readonly DefinitionProblem[]>): void {
    this.pending.push(found.then((problems) => this.report(...problems)));
  }

  /** For checks that need what every module has found in its `onModuleInit`. */
  checkLast(check: () => readonly DefinitionProblem[]): void {
    this.lastChecks.push(check);
  }

  /** For what was opened at the start and would keep a process alive whose start is refused. Must not reject. */
  onRefusal(release: () => Promise<void>): void {
    this.releases.push(release);
  }

  /** Every explorer has run in `onModuleInit` by now. */
  async onApplicationBootstrap(): Promise<void> {
    for (const check of this.lastChecks.splice(0)) this.report(...check());
    await Promise.all(this.pending.splice(0));
    this.started = true;
    if (this.problems.length === 0) return;
    await Promise.all(this.releases.map((release) => release()));
    throw new DefinitionError(this.problems);
  }
}
