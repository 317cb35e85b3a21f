import { Injectable } from '@nestjs/common';
import { IsString } from 'class-validator';
import { Reward, Tool, type ExtraInfo } from 'nestjs-osmosis';

export class PatternTest {
  @IsString() pattern!: string;
  @IsString() text!: string;
}

@Injectable()
export class PatternTools {
  // A pattern that a model writes may take years to try; here it has two seconds.
  @Tool({ description: 'Try a regular expression on a text', isolate: true, timeoutMs: 2_000 })
  tryPattern({ pattern, text }: PatternTest): string {
    return new RegExp(pattern).exec(text)?.[0] ?? 'no match';
  }

  @Reward({ isolate: true, agents: ['regex-golf'] })
  matches(solutionStr: string, groundTruth: string, _extraInfo?: ExtraInfo): number {
    return new RegExp(solutionStr).test(groundTruth) ? 1 : 0;
  }
}
