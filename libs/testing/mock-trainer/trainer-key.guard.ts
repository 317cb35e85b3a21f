import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { OsmosisError } from '#domain';
import type { FastifyRequest } from 'fastify';
import { MOCK_TRAINER_OPTIONS, type MockTrainerOptions } from './mock-trainer.options.js';

/** Lets in whoever carries the trainer's key as a bearer; everybody when it has none. */
@Injectable()
export class TrainerKeyGuard implements CanActivate {
  constructor(@Inject(MOCK_TRAINER_OPTIONS) private readonly options: MockTrainerOptions) {}

  canActivate(context: ExecutionContext): boolean {
    return requireBearer(context, this.options.apiKey);
  }
}

/** The same for the chat calls of dialect 0.3, which may have a key of their own. */
@Injectable()
export class ModelKeyGuard implements CanActivate {
  constructor(@Inject(MOCK_TRAINER_OPTIONS) private readonly options: MockTrainerOptions) {}

  canActivate(context: ExecutionContext): boolean {
    return requireBearer(context, this.options.modelKey ?? this.options.apiKey);
  }
}

function requireBearer(context: ExecutionContext, key: string | undefined): true {
  const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
  if (key === undefined || authorization === `Bearer ${key}`) return true;
  throw new OsmosisError('UNAUTHORIZED', 'Invalid or missing API key');
}
