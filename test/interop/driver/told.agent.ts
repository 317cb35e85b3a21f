import { Agent, Reward, type RolloutContext, type RolloutResult } from '#osmosis';

/** Does what the first user message says; the label tells its reward what to do. */
@Agent({ name: 'told' })
export class ToldAgent {
  cancelled = 0;

  async run(ctx: RolloutContext): Promise<RolloutResult> {
    const [first] = ctx.request.messages;
    if (first?.content === 'throw') throw new Error('workflow exploded');
    if (first?.content === 'hang') await this.hang(ctx.signal);
    const { message } = await ctx.chat(ctx.request.messages);
    return ctx.complete([...ctx.request.messages, message]);
  }

  @Reward()
  same(solutionStr: string, groundTruth: string): number {
    if (groundTruth === 'throw') throw new Error('grader exploded');
    return solutionStr === groundTruth ? 1 : 0;
  }

  private hang(signal: AbortSignal): Promise<never> {
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        this.cancelled++;
        reject(signal.reason as Error);
      });
    });
  }
}
