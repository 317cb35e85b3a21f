import { Body, Controller, Headers, HttpCode, Param, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import type { ToolDefinition } from '#domain';
import { parseBody, UnfitRequestError, type JsonObject } from '#trainers';
import { readCompletionCallback, readGraderCallback, type RolloutCallback } from '../wire/callbacks.js';
import { readCompletionsRequest, type CompletionsResponse } from '../wire/chat-completions.js';
import { FaultInterceptor, FaultRoute } from './fault.interceptor.js';
import { MockTrainerService } from './mock-trainer.service.js';
import { ModelKeyGuard, TrainerKeyGuard } from './trainer-key.guard.js';

const NO_BODY = Buffer.alloc(0);

/** The controller's side of dialect 0.3 (spec 0.3, 1.20, 1.21): the rollout is named by the path. */
@Controller('v1/rollouts/:rolloutId')
@UseInterceptors(FaultInterceptor)
export class CallbacksController {
  constructor(private readonly trainer: MockTrainerService) {}

  @Post('chat/completions')
  @HttpCode(200)
  @FaultRoute('chat')
  @UseGuards(ModelKeyGuard)
  chat(
    @Param('rolloutId') rolloutId: string,
    @Body() raw: Buffer = NO_BODY,
    @Headers('content-type') contentType?: string,
  ): Promise<CompletionsResponse> {
    const { fields } = parseBody(raw, contentType);
    const request = readCompletionsRequest({ ...fields, rollout_id: rolloutId });
    return this.trainer.answerChat({ ...request, tools: fields['tools'] as readonly ToolDefinition[] | undefined });
  }

  @Post('completion')
  @HttpCode(200)
  @FaultRoute('completion')
  @UseGuards(TrainerKeyGuard)
  completion(
    @Param('rolloutId') rolloutId: string,
    @Body() raw: Buffer = NO_BODY,
    @Headers('content-type') contentType?: string,
  ): JsonObject {
    const body = readCompletionCallback(parseBody(raw, contentType).fields);
    return this.acknowledge({ kind: 'completion', rolloutId, body });
  }

  @Post('grader')
  @HttpCode(200)
  @FaultRoute('grader')
  @UseGuards(TrainerKeyGuard)
  grader(
    @Param('rolloutId') rolloutId: string,
    @Body() raw: Buffer = NO_BODY,
    @Headers('content-type') contentType?: string,
  ): JsonObject {
    const body = readGraderCallback(parseBody(raw, contentType).fields);
    return this.acknowledge({ kind: 'grader', rolloutId, body });
  }

  private acknowledge(callback: RolloutCallback): JsonObject {
    const { rollout_id } = callback.body;
    if (rollout_id !== null && rollout_id !== callback.rolloutId) throw new UnfitRequestError('rollout_id mismatch');
    return this.trainer.acknowledge(callback);
  }
}
