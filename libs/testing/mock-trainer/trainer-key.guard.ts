import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { OsmosisError } from '#domain';
import type { FastifyRequest } from 'fastify';
import { MOCK_TRAINER_OPTIONS, type MockTrainerOptions } from './mock-trainer.options.js';

/** Lets in who carries the trainer's key as a bearer; everybody when it has none. */
@Injectable()
export class TrainerKeyGuard implements CanActivate {
  constructor(@Inject(MOCK_TRAINER_OPTIONS) private readonly options: MockTrainerOptions) {}

  canActivate(context: ExecutionContext): boolean {
    const { apiKey } = this.options;
    const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    if (apiKey === undefined || authorization === `Bearer ${apiKey}`) return true;
    throw new OsmosisError('UNAUTHORIZED', 'Invalid or missing API key');
  }
}
