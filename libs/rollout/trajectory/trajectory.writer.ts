import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { setImmediate as turn } from 'node:timers/promises';
import type { FinishedRollout } from '#atif';
import {
  Cancellation,
  describeThrown,
  type RolloutOutcome,
  type RolloutRequest,
  type Timer,
  type TrajectoryReport,
} from '#domain';
import { ROLLOUT_OPTIONS, type RolloutModuleOptions } from '../rollout.options.js';
import type { RolloutRecord } from '../rollout.record.js';
import { RolloutSlots } from '../rollout.slots.js';
import type { PendingDocument } from './trajectory.documents.js';

/** Files that are written at a time. */
const CONCURRENCY = 4;
/** Documents that may wait for a disk that is slower than the rollouts; more are not written. */
const MAX_WAITING = 1_000;
/** A disk that does not answer holds up no shutdown for longer, in milliseconds. */
const LAST_WAIT_MS = 5_000;
/** Reports that may wait for their rollouts to be sealed. */
const MAX_REPORTS = 10_000;

/**
 * Writes the trajectories of finished rollouts, when that is asked for. Nothing waits for it, and no fault of it reaches an
 * outcome or a delivery: a document that cannot be written is a warning.
 *
 * A sealed rollout is held until its trainer has acknowledged, because the acknowledgement may report tokens and costs; but
 * no longer than to the first attempt that fails. What is reported later is laid over the file.
 */
@Injectable()
export class TrajectoryWriter implements OnApplicationShutdown {
  private readonly logger = new Logger('Trajectory');
  private readonly slots = new RolloutSlots(CONCURRENCY);
  private readonly never = new Cancellation();
  private readonly held = new Map<string, FinishedRollout>();
  private readonly reports = new Map<string, TrajectoryReport>();
  /** The last write of each rollout that is being written. */
  private readonly writing = new Map<string, Promise<void>>();
  private failing = false;

  constructor(@Inject(ROLLOUT_OPTIONS) private readonly options: RolloutModuleOptions) {}

  get enabled(): boolean {
    return this.options.trajectories;
  }

  /** Holds a rollout that is being sealed until {@link release}. Never throws. */
  async hold(record: RolloutRecord, request: RolloutRequest, outcome: RolloutOutcome, sealedAt: number): Promise<void> {
    const { work, acceptedAt, startedAt, rolloutId } = record;
    const recorder = work?.session?.recorder ?? null;
    try {
      const tools = work ? work.tools.definitions : ((await record.accepted)?.tools ?? []);
      this.held.set(rolloutId, { request, outcome, tools, record: recorder, acceptedAt, startedAt, sealedAt });
    } catch (error) {
      this.warn(rolloutId, describeThrown(error));
    }
  }

  /** Takes what an acknowledgement reports. Of several reports the last one counts (spec 0.3, 1.10). */
  report(rolloutId: string, report: TrajectoryReport): void {
    if (!this.enabled) return;
    // Of rollouts that are never sealed, like those of a process that ends, nothing may pile up.
    if (this.reports.size >= MAX_REPORTS) this.reports.clear();
    this.reports.set(rolloutId, report);
  }

  /** Nothing more is to be waited for: writes what is held of the rollout, or lays a late report over its file. */
  release(rolloutId: string): void {
    const rollout = this.held.get(rolloutId);
    const report = this.reports.get(rolloutId);
    if (!rollout && !report) return;
    this.held.delete(rolloutId);
    this.reports.delete(rolloutId);
    if (this.writing.size >= MAX_WAITING) return this.warn(rolloutId, `${MAX_WAITING} others wait for the disk`);
    const before = this.writing.get(rolloutId) ?? Promise.resolve();
    const written = before.then(() => this.write(rolloutId, { rollout, report }));
    this.writing.set(rolloutId, written);
    void written.then(() => {
      if (this.writing.get(rolloutId) === written) this.writing.delete(rolloutId);
    });
  }

  async onApplicationShutdown(): Promise<void> {
    for (const rolloutId of this.held.keys()) this.release(rolloutId);
    let timer: Timer | undefined;
    const enough = new Promise<void>((resolve) => (timer = this.options.clock.after(LAST_WAIT_MS, resolve)));
    await Promise.race([Promise.all(this.writing.values()), enough]);
    timer?.stop();
  }

  /** Never throws. */
  private async write(rolloutId: string, pending: PendingDocument): Promise<void> {
    if (!this.slots.tryAcquire()) await this.slots.acquire(this.never);
    try {
      // Loaded when used; and a long conversation takes a millisecond or two: what else waits comes first.
      const [{ writeDocument }] = await Promise.all([import('./trajectory.documents.js'), turn()]);
      const warnings = await writeDocument(this.options.dataDir, rolloutId, pending);
      for (const warning of warnings) this.logger.warn(`rollout ${JSON.stringify(rolloutId)}: ${warning}`);
      this.failing = false;
    } catch (error) {
      this.warn(rolloutId, describeThrown(error));
    } finally {
      this.slots.release();
    }
  }

  /** A disk that is full would be told of a thousand times a second. */
  private warn(rolloutId: string, why: string): void {
    const text = `rollout ${JSON.stringify(rolloutId)}: its trajectory is not written: ${why}`;
    if (this.failing) this.logger.debug?.(text);
    else this.logger.warn(`${text}. Further ones are told of at level debug, until one is written.`);
    this.failing = true;
  }
}
