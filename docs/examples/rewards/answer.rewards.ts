import { Injectable } from '@nestjs/common';
import { lengthPenalty, numericMatch, Reward, RolloutTrajectory, Rubric, type ExtraInfo } from 'nestjs-osmosis';

@Injectable()
export class AnswerRewards {
  // Compares with the request's ground truth; `extraInfo` is its whole metadata.
  @Reward({ weight: 1, range: [0, 1] })
  correct(solutionStr: string, groundTruth: string, extraInfo?: ExtraInfo): number {
    const tolerance = Number(extraInfo?.['tolerance'] ?? 0.01);
    return numericMatch(solutionStr, groundTruth, { tolerance });
  }

  // Sees the whole run, and needs no ground truth.
  @Reward({ weight: 0.1, agents: ['calculator'] })
  thrifty(trajectory: RolloutTrajectory): number {
    return trajectory.toolCalls.length <= 3 ? 1 : 0;
  }

  @Reward({ weight: 0.2 })
  brief(solutionStr: string, _groundTruth: string): number {
    return lengthPenalty(solutionStr, { free: 200, limit: 1_000 });
  }
}

@Injectable()
export class AnswerJudges {
  // The property's text is the rubric; a hosted model scores by it.
  @Rubric({ weight: 0.5, votes: 3 })
  polite = 'The answer is polite and does not talk down to the reader.';
}
