import { Logger } from '@nestjs/common';
import { agentOptions } from '../agent.options.js';
import { LagWatchdog, type UserCode } from './lag.watchdog.js';

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function block(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;);
}

/** A real event loop, really blocked. */
describe('LagWatchdog', () => {
  let watchdog: LagWatchdog;
  let warnings: jest.SpyInstance;

  beforeEach(() => {
    warnings = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    watchdog = new LagWatchdog(agentOptions({ isolation: { lagWarnMs: 200 } }));
    watchdog.onApplicationBootstrap();
  });
  afterEach(() => {
    watchdog.onApplicationShutdown();
    warnings.mockRestore();
  });

  /** From the last beat on only what is blocked after this counts, and no freeze of the machine before it. */
  function enter(code: UserCode, where: string): void {
    watchdog.onApplicationShutdown();
    watchdog.onApplicationBootstrap();
    watchdog.enter(code, 'calc', where);
  }

  function said(): string[] {
    return warnings.mock.calls.map(([text]) => String(text));
  }

  it.each([
    ['tool', 'use @Tool({ isolate: true })'],
    ['reward', 'use @Reward({ isolate: true })'],
    ['loop', 'move the work to a tool with @Tool({ isolate: true })'],
  ] as const)('LC-13: names the %s that blocked the event loop, for how long, and the cure', async (code, cure) => {
    enter(code, 'CalcAgent.grind');
    block(400);
    await sleep(100);
    expect(said()).toEqual([expect.stringContaining(`Last entered: ${code} CalcAgent.grind of agent 'calc'.`)]);
    expect(said()[0]).toContain(cure);
    const milliseconds = Number(/blocked for (\d+) ms/.exec(said()[0]!)?.[1]);
    expect(milliseconds).toBeGreaterThanOrEqual(400);
  });

  it('is not misled by what was entered right after the block, before any timer could fire', async () => {
    enter('tool', 'CalcAgent.grind');
    block(1_000);
    watchdog.enter('tool', 'other', 'OtherAgent.glance');
    await sleep(100);
    expect(said()[0]).toContain('CalcAgent.grind');
  });

  it('names the same place once a minute, each other one beside it', async () => {
    for (const where of ['A.one', 'A.one', 'A.one', 'B.two']) {
      enter('tool', where);
      block(300);
      await sleep(100);
    }
    expect(said().map((text) => /Last entered: tool (\S+)/.exec(text)?.[1])).toEqual(['A.one', 'B.two']);
  });

  it('does not blame anybody when no code of the user was entered', async () => {
    block(400);
    await sleep(100);
    expect(said()).toEqual([]);
    expect(watchdog.lagMs).toBeGreaterThan(300);
  });

  it('tells the largest lag of the last two seconds', async () => {
    block(2_000);
    await sleep(100);
    expect(watchdog.lagMs).toBeGreaterThan(1_900);
    // A block that were never forgotten would keep it there.
    while (watchdog.lagMs > 1_500) await sleep(200);
  });

  it('does not keep the process alive', () => {
    const timers = jest.spyOn(globalThis, 'setInterval');
    try {
      watchdog.onApplicationShutdown();
      watchdog.onApplicationBootstrap();
      expect((timers.mock.results[0]?.value as NodeJS.Timeout).hasRef()).toBe(false);
    } finally {
      timers.mockRestore();
    }
  });
});
