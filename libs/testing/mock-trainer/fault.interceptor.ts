import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { sleep, systemClock } from '#domain';
import type { FastifyRequest } from 'fastify';
import { map, type Observable } from 'rxjs';
import { FaultPlan, type Fault, type StatusFault, type TrainerRoute } from '../fault-plan.js';
import { dropConnection, httpAnswer } from '../mock-model/answers.js';
import { describeRequest } from './describe-request.js';
import { WireEnding } from './wire-ending.js';

/** Which route of the {@link FaultPlan} a handler is. */
export const FaultRoute = Reflector.createDecorator<TrainerRoute>();

/** Lets the fault plan strike: before the handler for what the trainer never sees, after it for what gets lost. */
@Injectable()
export class FaultInterceptor implements NestInterceptor {
  constructor(
    private readonly faults: FaultPlan,
    private readonly reflector: Reflector,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const route = this.reflector.get(FaultRoute, context.getHandler());
    const fault = this.faults.take(route, () => describeRequest(request).rolloutId);
    await strikeBefore(fault);
    return next.handle().pipe(map((answer: unknown) => strikeAfter(fault, answer)));
  }
}

async function strikeBefore(fault: Fault): Promise<void> {
  if (fault === 'drop-before') throw new WireEnding(dropConnection());
  if (typeof fault === 'number') throw statusEnding({ status: fault });
  if (typeof fault !== 'object') return;
  if ('status' in fault) throw statusEnding(fault);
  await sleep(systemClock, fault.delayMs);
}

function statusEnding({ status, headers, body }: StatusFault): WireEnding {
  const content = body ?? { detail: `The mock trainer's fault plan says ${status}` };
  return new WireEnding(httpAnswer(status, { headers, body: content }));
}

function strikeAfter(fault: Fault, answer: unknown): unknown {
  if (fault === 'drop-after') throw new WireEnding(dropConnection());
  if (fault !== 'malformed') return answer;
  const text = JSON.stringify(answer);
  throw new WireEnding(httpAnswer(200, { body: text.slice(0, text.length / 2) }));
}
