import { IsNumber } from 'class-validator';
import { Agent, DefinitionError, Reward, RolloutContext, Tool, type ExtraInfo } from '#osmosis';
import { startRig, type Rig } from './support/rig.js';

class Operands {
  @IsNumber() a!: number;
  @IsNumber() b?: number = 2;
}

interface Shape {
  readonly side: number;
}

class Undescribed {
  side!: number;
}

/** What a server says when it starts, and when it cannot. */
describe('start of a server', () => {
  let rig: Rig | undefined;
  afterEach(async () => {
    await rig?.close();
    rig = undefined;
  });

  it('lists agents, tools with their parameters, rewards and routes', async () => {
    @Agent({ name: 'calc' })
    class Calc {
      @Tool({ description: 'Add' })
      add({ a, b }: Operands): number {
        return a + (b ?? 0);
      }
      @Reward({ weight: 2 })
      exact(_solutionStr: string, _groundTruth: string, _extraInfo?: ExtraInfo): number {
        return 1;
      }
    }
    rig = await startRig({ providers: [Calc] });
    const said = rig.log.lines.filter((line) => line.endsWith(' Osmosis')).map((line) => line.slice(4, -8));
    expect(said).toEqual([
      'Agent calc (Calc, built-in loop)',
      '  tool add(a: number, b?: number)',
      '  reward exact (weight 2)',
      'POST /v1/rollout/init runs calc',
      'POST /rollout runs calc (dialect 0.3)',
      'POST /agents/calc/v1/rollout/init runs calc',
      'POST /agents/calc/rollout runs calc (dialect 0.3)',
      'GET /health, GET /platform/health',
    ]);
  });

  it('the full JSON Schema reaches the trainer', async () => {
    @Agent({ name: 'calc' })
    class Calc {
      @Tool({ description: 'Add' })
      add({ a }: Operands): number {
        return a;
      }
    }
    rig = await startRig({ providers: [Calc] });
    const body = { rollout_id: 'r', server_url: rig.trainerUrl, messages: [], completion_params: {} };
    const headers = { 'content-type': 'application/json' };
    const init = await fetch(`${rig.serverUrl}/v1/rollout/init`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    expect(await init.json()).toEqual({
      rollout_id: 'r',
      tools: [
        {
          type: 'function',
          function: {
            name: 'add',
            description: 'Add',
            parameters: {
              type: 'object',
              properties: { a: { type: 'number' }, b: { type: 'number', default: 2 } },
              required: ['a'],
              additionalProperties: false,
            },
            strict: false,
          },
        },
      ],
    });
  });

  it('an agent of five lines with one tool is all a user needs', async () => {
    @Agent({ name: 'clock' })
    class ClockAgent {
      @Tool({ description: 'The time' })
      now(): string {
        return new Date().toISOString();
      }
    }
    rig = await startRig({ providers: [ClockAgent] });
    expect(rig.log.text).toContain('tool now()');
  });

  it('bad definitions stop the start with one message that lists all, each with class, method and cure', async () => {
    @Agent({ name: '  ' })
    class Nameless {}

    @Agent({ name: 'twin' })
    class Twin {}

    @Agent({ name: 'twin' })
    class OtherTwin {}

    @Agent({ name: 'wrong' })
    class Wrong {
      @Tool({ description: 'Takes an interface' })
      area(shape: Shape): number {
        return shape.side ** 2;
      }
      @Tool({ description: 'Takes a class that says nothing' })
      volume(shape: Undescribed): number {
        return shape.side ** 3;
      }
      @Tool({ description: ' ' })
      silent(): void {}
      @Tool({ description: 'Has a bad name', name: 'not legal!' })
      named(): void {}
      @Tool({ description: 'Takes too much' })
      many(_a: Operands, _ctx: RolloutContext, _more: string): void {}
      @Tool({ description: 'Never has time', timeoutMs: Number.NaN })
      hurried(): void {}
      // @ts-expect-error the compiler refuses a reward of another arity
      @Reward()
      alone(_solutionStr: string): number {
        return 1;
      }
      // @ts-expect-error the compiler refuses a reward of other types
      @Reward()
      counted(_solution: number, _truth: number): number {
        return 1;
      }
      // @ts-expect-error the compiler refuses a reward that gives no number
      @Reward({ weight: Infinity })
      worded(_solutionStr: string, _groundTruth: string): string {
        return '1';
      }
    }

    const error: unknown = await startRig({ providers: [Nameless, Twin, OtherTwin, Wrong] }).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(DefinitionError);
    const { problems, message } = error as DefinitionError;
    expect(problems.map(({ code, where }) => `${code} ${where}`).sort()).toEqual([
      'AGENT_DUPLICATE OtherTwin',
      'AGENT_NAME_ILLEGAL Nameless',
      'REWARD_ARITY Wrong.alone',
      'REWARD_PARAMETER Wrong.counted',
      'REWARD_PARAMETER Wrong.counted',
      'REWARD_WEIGHT Wrong.worded',
      'TOOL_DESCRIPTION_EMPTY Wrong.silent',
      'TOOL_INPUT_ILLEGAL Wrong.area',
      'TOOL_INPUT_ILLEGAL Wrong.volume',
      'TOOL_NAME_ILLEGAL Wrong.named',
      'TOOL_PARAMETERS Wrong.many',
      'TOOL_TIMEOUT_ILLEGAL Wrong.hurried',
    ]);
    expect(message.split('\n')).toHaveLength(13);
    for (const problem of problems) expect(problem.cure).not.toBe('');
  });

  it('LC-10: limits of 0, below 0 or NaN are refused', async () => {
    for (const timeoutMs of [0, -1, Number.NaN]) {
      await expect(startRig({ osmosis: { tools: { timeoutMs } } })).rejects.toThrow(/tools.timeoutMs/);
    }
    await expect(startRig({ osmosis: { rollouts: { maxConcurrent: 0 } } })).rejects.toThrow(/rollouts.maxConcurrent/);
  });
});
