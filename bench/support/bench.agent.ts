import { IsNumber } from 'class-validator';
import { Agent, Reward, Tool } from 'nestjs-osmosis';

class Operands {
  @IsNumber() a!: number;
  @IsNumber() b!: number;
}

/** What `bench/workers.ts` has the command line serve: the agent of `bench.server.ts`. */
@Agent({ name: 'bench' })
export class BenchAgent {
  @Tool({ description: 'Add two numbers' })
  async add({ a, b }: Operands): Promise<number> {
    return a + b;
  }

  @Reward()
  exact(solutionStr: string, groundTruth: string): number {
    return solutionStr.trim() === groundTruth.trim() ? 1 : 0;
  }
}
