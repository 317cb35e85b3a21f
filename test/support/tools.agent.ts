import { IsArray, IsNumber, IsOptional, IsString, ValidateNested } from 'class-validator';
import { Type } from 'class-transformer';
import { Agent, RolloutContext, Tool } from '#osmosis';

export class Operands {
  @IsNumber() a!: number;
  @IsNumber() b!: number;
}

export class Query {
  @IsString() q!: string;
  @IsOptional() @IsNumber() n?: number;
}

export class Where {
  @IsOptional() @IsString() where?: string;
}

class Item {
  @IsString() sku!: string;
  @IsOptional() @IsNumber() qty?: number;
}

export class Order {
  @IsArray() @ValidateNested({ each: true }) @Type(() => Item) items!: Item[];
}

/** Every call that reached a tool, in order. */
export const handled: { tool: string; input?: unknown }[] = [];

export function handledBy(tool: string): unknown[] {
  return handled.filter((call) => call.tool === tool).map((call) => call.input);
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

class Circle {
  self = this;
}

const RETURNS: Readonly<Record<string, () => unknown>> = {
  undefined: () => undefined,
  null: () => null,
  circle: () => new Circle(),
  bigint: () => 10n,
  buffer: () => Buffer.from('hi'),
  map: () => new Map([[1, 2]]),
  nested: () => ({ list: [new Map()] }),
};

const THROWS: Readonly<Record<string, () => never>> = {
  string: () => {
    throw 'boom';
  },
  undefined: () => {
    throw undefined;
  },
  null: () => {
    throw null;
  },
  object: () => {
    throw { code: 7 };
  },
  getter: () => {
    throw Object.defineProperty(new Error(), 'message', {
      get: () => {
        throw new Error('no');
      },
    });
  },
};

/** The agent that the cases assume: tools that note what they were called with. */
@Agent({ name: 'tools', description: 'Has every tool of the cases' })
export class ToolsAgent {
  @Tool({ description: 'Add two numbers' })
  add(input: Operands): number {
    handled.push({ tool: 'add', input: { ...input } });
    return input.a + input.b;
  }

  @Tool({ description: 'Look something up; X is slow' })
  async lookup(input: Query): Promise<string> {
    handled.push({ tool: 'lookup', input: { ...input } });
    await sleep(input.q === 'X' ? 200 : 0);
    return `found ${input.q}`;
  }

  @Tool({ description: 'Do nothing' })
  noop(): void {
    handled.push({ tool: 'noop' });
  }

  @Tool({ description: 'Delete what fits' })
  purge(input: Where): string {
    handled.push({ tool: 'purge', input: { ...input } });
    return 'purged';
  }

  @Tool({ description: 'Save an order' })
  save(input: Order): number {
    handled.push({ tool: 'save', input });
    return input.items.length;
  }

  @Tool({ description: 'Return a value of a kind' })
  give({ q }: Query): unknown {
    return RETURNS[q]?.();
  }

  @Tool({ description: 'Throw a value of a kind' })
  fail({ q }: Query): unknown {
    return THROWS[q]?.();
  }

  @Tool({ description: 'Reject with nothing' })
  reject(): Promise<never> {
    return Promise.reject();
  }

  @Tool({ description: 'Never end', timeoutMs: 300 })
  hang(): Promise<never> {
    handled.push({ tool: 'hang' });
    return new Promise(() => {});
  }

  @Tool({ description: 'Count until told to stop', timeoutMs: 300 })
  async count(ctx: RolloutContext): Promise<void> {
    const { signal } = ctx;
    while (!signal.aborted) {
      handled.push({ tool: 'count' });
      await sleep(20);
    }
    handled.push({ tool: 'count-stopped' });
  }
}
