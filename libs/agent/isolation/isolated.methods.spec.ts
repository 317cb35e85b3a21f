import { Injectable } from '@nestjs/common';
import { IsNumber } from 'class-validator';
import { toolCall, type ScriptedAnswer } from '#testing';
import { toolMessages } from '../../../test/support/assertions.js';
import { startRig, type Rig } from '../../../test/support/rig.js';
import { agentOptions } from '../agent.options.js';
import { Agent } from '../decorators/agent.decorator.js';
import { Tool } from '../decorators/tool.decorator.js';

class Amount {
  @IsNumber() amount!: number;
}

@Injectable()
class Ledger {
  total = 0;
}

@Agent({ name: 'bank', tools: [] })
class BankAgent {
  constructor(private readonly ledger: Ledger) {}

  @Tool({ description: 'Adds to the ledger', isolate: true })
  pay({ amount }: Amount): number {
    return (this.ledger.total += amount);
  }

  @Tool({ description: 'Takes too long', isolate: true, timeoutMs: 50 })
  wait(): Promise<never> {
    return new Promise(() => {});
  }
}

/** What happens in threads is told by test/isolation.e2e-spec.ts: there the classes are files that a thread can load. */
describe('isolated methods', () => {
  let rig: Rig;
  afterEach(() => rig?.close());

  async function resultOf(answer: ScriptedAnswer, threads: number): Promise<string> {
    rig = await startRig({
      providers: [BankAgent, Ledger],
      osmosis: { isolation: { threads } },
      trainer: { script: [answer, 'done'] },
    });
    return toolMessages(await rig.run())[0]!.content;
  }

  it('run in place with 0 threads, with what is injected', async () => {
    expect(await resultOf([toolCall('pay', { amount: 5 })], 0)).toBe('5');
  });

  it('keep their time limit with 0 threads', async () => {
    expect(await resultOf([toolCall('wait')], 0)).toBe(
      'Error: Tool wait did not finish within its time limit of 50 ms',
    );
  });

  it('of a class that no file exports stop the start, with the file and the cure', async () => {
    const start = resultOf([toolCall('pay', { amount: 5 })], 1);
    await expect(start).rejects.toThrow(
      /BankAgent\.pay \(.*\): .*class BankAgent is not exported from .*isolated\.methods\.spec\.ts\)\. Export the class there/,
    );
  });
});

describe('options of isolation', () => {
  it('has at least one thread, and leaves a core to the server where there are more', () => {
    expect(agentOptions().isolation.threads).toBeGreaterThanOrEqual(1);
    expect(agentOptions({ isolation: { threads: undefined } }).isolation.threads).toBeGreaterThanOrEqual(1);
  });

  it.each([
    [{ threads: -1 }, /isolation\.threads must be a whole number from 0/],
    [{ threads: 1.5 }, /isolation\.threads/],
    [{ threads: Number.NaN }, /isolation\.threads/],
    [{ lagWarnMs: 0 }, /isolation\.lagWarnMs/],
    [{ maxHeapMb: -5 }, /isolation\.maxHeapMb/],
  ])('LC-10: refuses %j', (isolation, message) => {
    expect(() => agentOptions({ isolation })).toThrow(message);
  });
});
