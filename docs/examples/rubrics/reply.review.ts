import { Injectable } from '@nestjs/common';
import { RubricService } from 'nestjs-osmosis';

@Injectable()
export class ReplyReview {
  constructor(private readonly rubrics: RubricService) {}

  async review(question: string, reply: string): Promise<{ score: number; why: string; unsure: boolean }> {
    const verdict = await this.rubrics.evaluate({
      rubric: '1.0 if the reply solves the problem, 0.5 if it names the cause, else 0.0.',
      originalInput: question,
      solutionStr: reply,
      modelInfo: 'openai/gpt-5-mini',
      // Asked when the first judge gives no score.
      fallback: ['anthropic/claude-haiku-4-5'],
      // Three judgements at once. The score is their mean.
      votes: 3,
    });
    return { score: verdict.score, why: verdict.explanation, unsure: verdict.agreement < 1 };
  }
}
