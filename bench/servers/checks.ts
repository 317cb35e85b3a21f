import 'reflect-metadata';
import { Ajv } from 'ajv';
import { plainToInstance } from 'class-transformer';
import { IsIn, IsInt, IsNumber, IsString, MaxLength, Min, validate } from 'class-validator';
import { toolInputOf } from '../../libs/agent/schema/index.js';
import { costOf } from '../support/loop.js';
import { serveBenchmark } from './program.js';

/** What it costs to check the arguments of a tool call, in several ways. */
class Operands {
  @IsNumber() a!: number;
  @IsNumber() b!: number;
}

class Order {
  @IsString() @MaxLength(40) item!: string;
  @IsInt() @Min(1) quantity!: number;
  @IsIn(['air', 'road', 'sea']) by!: string;
  @IsNumber() price!: number;
}

const CASES = [
  { name: 'two numbers', cls: Operands, args: { a: 2, b: 3 } },
  { name: 'four fields', cls: Order, args: { item: 'tea', quantity: 3, by: 'sea', price: 2.5 } },
];

const costs: Record<string, number> = {};
for (const { name, cls, args } of CASES) {
  const input = toolInputOf(cls);
  const compiled = new Ajv({ strict: false }).compile(input.schema);
  costs[`${name}: the tool's check`] = await costOf(() => input.check(args));
  costs[`${name}: ajv alone`] = await costOf(() => compiled(args));
  costs[`${name}: class-validator`] = await costOf(
    () => validate(plainToInstance(cls as new () => object, args)),
    5_000,
  );
}
serveBenchmark('', { costs: () => costs });
