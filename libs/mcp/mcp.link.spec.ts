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

  running: Promise<unknown> | null = null;

  async close(): Promise<void> {
    this.closed = true;
  }

  async retire(): Promise<void> {
    if (this.running) await this.running;
    await this.close();
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

  const session = (): Promise<unknown> => link.session();

  it('the next call opens another session when one is lost; others wait for it', async () => {
    opened[0]!.lose('gone');
    expect(opened[0]!.closed).toBe(true);
    expect(attempts).toBe(1);
    expect(await Promise.all([session(), session()])).toEqual([opened[1], opened[1]]);
    expect(attempts).toBe(2);
  });

  it('between attempts calls fail at once; the pauses grow, up to half a minute', async () => {
    isUp = false;
    opened[0]!.lose('gone');
    await expect(session()).rejects.toThrow('The MCP server of this tool is down');
    const pauses: number[] = [];
    for (let tries = 0; tries < 12; tries++) {
      const [from, before] = [clock.monotonic(), attempts];
      for (; attempts === before; clock.advance(10)) await expect(session()).rejects.toThrow('is down');
      pauses.push(clock.monotonic() - from);
    }
    expect(pauses[0]).toBeLessThanOrEqual(1_020);
    expect(pauses.at(-1)).toBeGreaterThanOrEqual(15_000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(30_020);
    isUp = true;
    clock.advance(30_000);
    expect(await session()).toBe(opened[1]);
  });

  it('a server that dies as soon as it is there is not started by every call', async () => {
    opened[0]!.lose('gone');
    await session();
    opened[1]!.lose('gone again');
    await expect(session()).rejects.toThrow('is down');
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

  it('a lost session in which calls still run is left open until they end, or all is closed', async () => {
    let end = (): void => {};
    const [first] = opened;
    first!.running = new Promise<void>((resolve) => (end = resolve));
    link.lose(first as unknown as McpSession, 'forgotten');
    const second = (await session()) as StandInSession;
    expect([second === opened[1], first!.closed]).toEqual([true, false]);
    end();
    await new Promise(setImmediate);
    expect(first!.closed).toBe(true);

    second.running = new Promise(() => {});
    link.lose(second as unknown as McpSession, 'forgotten as well');
    expect(second.closed).toBe(false);
    await link.close();
    expect(second.closed).toBe(true);
  });

  it('closing ends it: nothing is opened any more', async () => {
    await link.close();
    expect(opened[0]!.closed).toBe(true);
    opened[0]!.lose('late news');
    await expect(session()).rejects.toThrow('is down');
    expect(attempts).toBe(1);
  });

  it('closing while it is being opened again closes what comes', async () => {
    opened[0]!.lose('gone');
    const opening = session();
    await link.close();
    await opening;
    expect(opened[1]!.closed).toBe(true);
  });
});
