import { Type } from 'class-transformer';
import { IsArray, IsIn, IsInt, IsOptional, IsString, Max, Min, ValidateNested } from 'class-validator';
import { Agent, Describe, RolloutContext, Tool, type RolloutResult } from 'nestjs-osmosis';
import { Library } from './library.js';

class Filter {
  @IsIn(['year', 'author'])
  field!: 'year' | 'author';

  @IsString()
  value!: string;
}

class Search {
  @Describe('Words to look for')
  @IsString()
  query!: string;

  @IsInt()
  @Min(1)
  @Max(20)
  limit = 5;

  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Filter)
  filters?: Filter[];
}

@Agent({ name: 'research', description: 'Answers from a library' })
export class ResearchAgent {
  constructor(private readonly library: Library) {}

  @Tool({ description: 'Search the library', timeoutMs: 10_000 })
  async search({ query, limit }: Search, ctx: RolloutContext): Promise<string[]> {
    return this.library.find(query, limit, ctx.signal);
  }

  // A loop of its own: at most three searches, then the answer.
  async run(ctx: RolloutContext): Promise<RolloutResult> {
    const messages = [...ctx.request.messages];
    for (let turn = 0; turn < 3; turn++) {
      const answer = await ctx.chat(messages);
      messages.push(answer.message);
      if (!answer.hasToolCalls) return ctx.complete(messages);
      messages.push(...(await ctx.executeTools(answer.toolCalls)));
    }
    const last = await ctx.chat(messages, { temperature: 0 });
    return ctx.complete([...messages, last.message], 'searched_out');
  }
}
