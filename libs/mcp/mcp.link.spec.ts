import { Logger } from '@nestjs/common';
import { FakeClock } from '../../test/support/fake.clock.js';
import { McpLink } from './mcp.link.js';
import type { McpSession } from './mcp.session.js';

/** As much of a session as a link knows of. */
class StandInSession {
  lose: (why: string) => void = () => {};
  closed = false;

  onLost(listener: (why: string) => void): void {
    this.lose = listener;
  }

  async close(): Promise<void> {
    this.closed = true;
  }
}

beforeAll(() => Logger.overrideLogger(false));

describe('McpLink', () => {
  const clock = new FakeClock();
  let opened: StandInSession[];
  let isUp: boolean;
  let attempts: number;
  let link: McpLink;
  beforeEach(async () => {
    opened = [];
    isUp = true;
    attempts = 0;
    link = new McpLink(
      'x',
      async () => {
        attempts++;
        if (!isUp) throw new Error('no');
        const session = new StandInSession();
        opened.push(session);
        return session as unknown as McpSession;
      },
      clock,
    );
    await link.start();
  });
  afterEach(() => link.close());

  const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
  const session = (): Promise<unknown> => link.session();

  it('opens another session at once when one is lost; calls wait for it', async () => {
    opened[0]!.lose('gone');
    const waiting = session();
    expect(await waiting).toBe(opened[1]);
    expect(opened[0]!.closed).toBe(true);
  });

  it('between attempts calls fail at once; attempts come ever later, up to half a minute', async () => {
    isUp = false;
    opened[0]!.lose('gone');
    await settled();
    await expect(session()).rejects.toThrow('The MCP server of this tool is down');
    const waits: number[] = [];
    for (let tries = 0; tries < 12; tries++) {
      const from = clock.monotonic();
      for (const before = attempts; attempts === before;) clock.advance(10);
      waits.push(clock.monotonic() - from);
      await settled();
    }
    expect(waits[0]).toBeLessThanOrEqual(1_010);
    expect(waits.at(-1)).toBeGreaterThanOrEqual(15_000);
    expect(Math.max(...waits)).toBeLessThanOrEqual(30_010);
    isUp = true;
    clock.advance(30_000);
    expect(await session()).toBe(opened[1]);
  });

  it('a server that dies as soon as it is there is not started in a tight loop', async () => {
    opened[0]!.lose('gone');
    await session();
    opened[1]!.lose('gone again');
    await settled();
    expect(attempts).toBe(2);
    clock.advance(1_000);
    await session();
    clock.advance(10_000);
    opened[2]!.lose('gone after a while');
    expect(await session()).toBe(opened[3]);
  });

  it('is lost once, whoever finds out', async () => {
    const first = (await session()) as McpSession;
    link.lose(first, 'by a call');
    link.lose(first, 'by another');
    await session();
    expect(attempts).toBe(2);
  });

  it('closing ends it: no attempts any more', async () => {
    await link.close();
    expect(opened[0]!.closed).toBe(true);
    await expect(session()).rejects.toThrow('is down');
    isUp = false;
    const other = new McpLink('y', async () => opened[0] as unknown as McpSession, clock);
    await other.start();
    await other.close();
    opened[0]!.lose('late news');
    clock.advance(60_000);
    expect(clock.timerCount).toBe(0);
  });

  it('closing while it is being opened again closes what comes', async () => {
    opened[0]!.lose('gone');
    await link.close();
    expect(opened[1]!.closed).toBe(true);
  });
});
