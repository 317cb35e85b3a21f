import { Agent, Reward, type ExtraInfo } from '#osmosis';

/** What the reward was called with, in order. */
export const scored: { solution: string; truth: string; extra: ExtraInfo }[] = [];

/** An agent without tools whose reward notes what it saw. */
@Agent({ name: 'spy' })
export class SpyAgent {
  @Reward()
  seen(solutionStr: string, groundTruth: string, extraInfo: ExtraInfo): number {
    scored.push({ solution: solutionStr, truth: groundTruth, extra: extraInfo });
    return 0.5;
  }
}
