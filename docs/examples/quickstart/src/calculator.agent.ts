import { IsNumber } from 'class-validator';
import { Agent, Reward, Tool, type ExtraInfo } from 'nestjs-osmosis';

class Operands {
  @IsNumber() a!: number;
  @IsNumber() b!: number;
}

@Agent({ name: 'calculator', description: 'Solves arithmetic with tools' })
export class CalculatorAgent {
  @Tool({ description: 'Add two numbers' })
  add({ a, b }: Operands): number {
    return a + b;
  }

  @Reward()
  exact(solutionStr: string, groundTruth: string, _extraInfo?: ExtraInfo): number {
    return solutionStr.trim() === groundTruth.trim() ? 1 : 0;
  }
}
