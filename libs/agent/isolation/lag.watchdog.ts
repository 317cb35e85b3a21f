import { Inject, Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { AGENT_OPTIONS, type AgentModuleOptions } from '../agent.options.js';

/** Code of the user's that runs on the event loop. */
export type UserCode = 'tool' | 'reward' | 'loop';

const BEAT_MS = 50;
/** Beats that `lagMs` looks back on: two seconds. */
const REMEMBERED_BEATS = 40;
/** The same code is named once in so many milliseconds. */
const QUIET_MS = 60_000;

const CURE: Readonly<Record<UserCode, string>> = {
  tool: 'use @Tool({ isolate: true })',
  reward: 'use @Reward({ isolate: true })',
  loop: 'move the work to a tool with @Tool({ isolate: true })',
};

/**
 * Notices when code blocks the event loop, and names what was entered last before that. Only what happens between two
 * beats of a timer is measured, so it learns of a block when it is over (case LC-13).
 *
 * Noting an entry costs one look at the clock and no allocation: 0.1 µs.
 */
@Injectable()
export class LagWatchdog implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly logger = new Logger('LagWatchdog');
  private readonly warnMs: number;
  private readonly beatMs: number;
  private timer: NodeJS.Timeout | null = null;

  /** What was entered last. */
  private code: UserCode | null = null;
  private agent = '';
  private where = '';

  /** When the event loop was last seen to turn. */
  private seenAt = 0;
  private beatAt = 0;
  /** The longest time since the last beat in which it was not, with what had been entered before. */
  private gapMs = 0;
  private gapCode: UserCode | null = null;
  private gapAgent = '';
  private gapWhere = '';

  private readonly lags = new Float64Array(REMEMBERED_BEATS);
  private beats = 0;
  private longestLagMs = 0;
  private readonly quiet = new Map<string, { until: number; untold: number }>();

  constructor(@Inject(AGENT_OPTIONS) { isolation }: AgentModuleOptions) {
    this.warnMs = isolation.lagWarnMs;
    this.beatMs = Math.max(1, Math.min(BEAT_MS, isolation.lagWarnMs / 4));
  }

  /** The longest delay of the event loop in the last two seconds, in milliseconds. For admission and status. */
  get lagMs(): number {
    return this.longestLagMs;
  }

  /** To be called just before code of the user's is. `where` is `Class.method`. */
  enter(code: UserCode, agent: string, where: string): void {
    this.see(performance.now());
    this.code = code;
    this.agent = agent;
    this.where = where;
  }

  onApplicationBootstrap(): void {
    this.seenAt = this.beatAt = performance.now();
    this.gapMs = 0;
    this.timer = setInterval(() => this.beat(), this.beatMs).unref();
  }

  onApplicationShutdown(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }

  private see(now: number): void {
    const gap = now - this.seenAt;
    this.seenAt = now;
    if (gap <= this.gapMs) return;
    this.gapMs = gap;
    this.gapCode = this.code;
    this.gapAgent = this.agent;
    this.gapWhere = this.where;
  }

  private beat(): void {
    const now = performance.now();
    this.see(now);
    this.lags[this.beats++ % REMEMBERED_BEATS] = Math.max(0, now - this.beatAt - this.beatMs);
    this.longestLagMs = Math.max(...this.lags);
    this.beatAt = now;
    if (this.gapMs > this.warnMs && this.gapCode) this.warn(this.gapCode, now);
    this.gapMs = 0;
  }

  private warn(code: UserCode, now: number): void {
    const place = `${code} ${this.gapWhere} of agent '${this.gapAgent}'`;
    const known = this.quiet.get(place);
    if (known && now < known.until) {
      known.untold++;
      return;
    }
    const again = known && known.untold > 0 ? ` (and ${known.untold} times more since it was last told)` : '';
    this.quiet.set(place, { until: now + QUIET_MS, untold: 0 });
    const blocked = `The event loop was blocked for ${Math.round(this.gapMs)} ms${again}`;
    this.logger.warn(`${blocked}, and every rollout with it. Last entered: ${place}. If it computes, ${CURE[code]}.`);
  }
}
