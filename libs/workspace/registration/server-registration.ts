import { OsmosisError, backoffDelayMs, describeThrown, systemClock } from '#domain';
import type { WorkspaceSettings } from '../workspace.settings.js';
import { isReady } from './readiness.js';
import type { RegistrationResult } from './registration.result.js';
import type { RegistrationService, ServerAddress } from './registration.service.js';
import { untilAborted } from './until-aborted.js';

export interface RegistrationRun extends ServerAddress {
  /** How long to wait for the server's own health page before registering all the same. Default 10 000 ms. */
  readonly readinessTimeoutMs?: number;
  /** Between two looks at that page. Default 200 ms. */
  readonly readinessPollIntervalMs?: number;
  /** Told of the first result, and of every one that differs from the one before. */
  readonly onResult?: (result: RegistrationResult) => void;
}

const READINESS_TIMEOUT_MS = 10_000;
const READINESS_INTERVAL_MS = 200;
/** For signing off, and before it for an answer that is on its way. */
const SIGN_OFF_MS = 3_000;

/**
 * Keeps this server registered with the platform while it runs (spec 9.3, mended by 13.32): registers once it is ready,
 * tries again when that failed or the platform could not reach it, registers anew when the platform has forgotten it, and
 * signs off at the end where the platform takes that. All in the background: the server serves with or without it.
 */
export class ServerRegistration {
  #running: {
    readonly stop: AbortController;
    readonly abandon: AbortController;
    readonly done: Promise<void>;
  } | null = null;
  #last: RegistrationResult | null = null;

  constructor(
    private readonly settings: WorkspaceSettings,
    private readonly registrations: RegistrationService,
  ) {}

  /** The newest result; null before the first. */
  get last(): RegistrationResult | null {
    return this.#last;
  }

  /** Begins in the background. A second call while one runs is refused. */
  start(run: RegistrationRun): void {
    if (this.#running) throw new OsmosisError('USAGE', 'This server is already being registered; stop that first.');
    const stop = new AbortController();
    const abandon = new AbortController();
    const done = this.#keepRegistered(run, stop.signal, abandon.signal).catch((error: unknown) => {
      if (!stop.signal.aborted)
        this.settings.log.error(`The registration with the platform ended: ${describeThrown(error)}`);
    });
    this.#running = { stop, abandon, done };
  }

  /**
   * Ends the registration, and signs off where the platform takes that. Takes a few seconds at most, and never more than
   * `withinMs`.
   */
  async stop(withinMs = 2 * SIGN_OFF_MS): Promise<void> {
    const running = this.#running;
    if (!running) return;
    this.#running = null;
    const reason = new OsmosisError('CANCELLED', 'The server is stopping.');
    running.stop.abort(reason);
    // A registration that is under way is waited for a little: without its answer nobody could sign off.
    const patienceMs = Math.min(SIGN_OFF_MS, withinMs / 2);
    const canSignOff = this.settings.routes.deregister !== undefined;
    const giveUp = systemClock.after(canSignOff ? patienceMs : 0, () => running.abandon.abort(reason));
    await running.done;
    giveUp.stop();
    const serverId = this.#last?.serverId;
    if (!serverId) return;
    try {
      await this.registrations.deregister(serverId, patienceMs);
    } catch (error) {
      if (!OsmosisError.is(error)) throw error;
      this.settings.log.warn(`The platform was not told that this server stops: ${error.message}`);
    }
  }

  async #keepRegistered(run: RegistrationRun, signal: AbortSignal, abandon: AbortSignal): Promise<void> {
    const times = {
      timeoutMs: run.readinessTimeoutMs ?? READINESS_TIMEOUT_MS,
      intervalMs: run.readinessPollIntervalMs ?? READINESS_INTERVAL_MS,
    };
    await isReady(run, times, signal);
    for (let failures = 0; !signal.aborted;) {
      const result = await this.registrations.register(run, signal, abandon);
      if (signal.aborted && !result.success) return;
      this.#tell(run, result);
      if (result.isHealthy && result.serverId !== null) {
        failures = 0;
        if (!(await this.#watchUntilForgotten(result.serverId, signal))) return;
        this.settings.log.warn('The platform has forgotten this server; registering again.');
        continue;
      }
      if (!result.retryable) return;
      failures += 1;
      await untilAborted(backoffDelayMs(this.settings.backoff, failures), signal);
    }
  }

  /** True once the platform says that it does not know the server; false when it cannot be asked, or we are stopping. */
  async #watchUntilForgotten(serverId: string, signal: AbortSignal): Promise<boolean> {
    if (this.settings.routes.status === undefined) return false;
    while (!signal.aborted) {
      await untilAborted(this.settings.watchIntervalMs, signal);
      if (signal.aborted) return false;
      try {
        if ((await this.registrations.isKnown(serverId, signal)) === false) return true;
      } catch (error) {
        if (!OsmosisError.is(error)) throw error;
        // Not knowing is no reason to register twice: ask again later.
        this.settings.log.debug(`The platform could not be asked about this server: ${error.message}`);
      }
    }
    return false;
  }

  #tell(run: RegistrationRun, result: RegistrationResult): void {
    const before = this.#last;
    this.#last = result.serverId === null && before ? { ...result, serverId: before.serverId } : result;
    const same = before !== null && before.status === result.status && before.error === result.error;
    if (!same) run.onResult?.(result);
  }
}
