import { IsNumber } from 'class-validator';
import { Agent, Describe, exactMatch, Reward, Tool, type ExtraInfo } from '#osmosis';
import { resultMatch } from './scoring.js';

class Operands {
  @Describe('The left operand')
  @IsNumber()
  a!: number;

  @Describe('The right operand')
  @IsNumber()
  b!: number;
}

/** The example agent: arithmetic, one operation a tool call. It has no loop of its own, the built-in one serves. */
@Agent({ name: 'calculator', description: 'Solves arithmetic with tools' })
export class CalculatorAgent {
  @Tool({ description: 'Add two numbers' })
  add({ a, b }: Operands): number {
    return a + b;
  }

  @Tool({ description: 'Subtract the second number from the first' })
  subtract({ a, b }: Operands): number {
    return a - b;
  }

  @Tool({ description: 'Multiply two numbers' })
  multiply({ a, b }: Operands): number {
    return a * b;
  }

  @Tool({ description: 'Divide the first number by the second' })
  divide({ a, b }: Operands): number {
    if (b === 0) throw new Error('Division by zero: this has no answer');
    return a / b;
  }

  /** The answer and nothing else. */
  @Reward({ weight: 0.5 })
  exact(solutionStr: string, groundTruth: string): number {
    return exactMatch(solutionStr, groundTruth);
  }

  /** The right number, whatever stands around it. A problem may allow for rounding by its `tolerance`. */
  @Reward({ weight: 0.5 })
  numeric(solutionStr: string, groundTruth: string, extraInfo: ExtraInfo): number {
    const { tolerance } = extraInfo;
    return resultMatch(solutionStr, groundTruth, typeof tolerance === 'number' ? tolerance : undefined);
  }
}
