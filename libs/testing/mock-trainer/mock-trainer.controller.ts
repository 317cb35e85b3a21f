import { Body, Controller, Get, Headers, HttpCode, Param, Post, UseGuards, UseInterceptors } from '@nestjs/common';
import { parseBody } from '#trainers';
import { CHAT_PATH, COMPLETED_PATH } from '../request-recorder.js';
import { readCompletionsRequest, type CompletionsResponse } from '../wire/chat-completions.js';
import { readRolloutCompletion, type RolloutCompletion } from '../wire/rollout-completion.js';
import { FaultInterceptor, FaultRoute } from './fault.interceptor.js';
import { MockTrainerService } from './mock-trainer.service.js';
import { TrainerKeyGuard } from './trainer-key.guard.js';

const NO_BODY = Buffer.alloc(0);

/** The trainer's side of the wire (spec 10). Bodies arrive as bytes: their JSON is read here, as the reference does. */
@Controller()
export class MockTrainerController {
  constructor(private readonly trainer: MockTrainerService) {}

  @Post(CHAT_PATH)
  @HttpCode(200)
  @FaultRoute('chat')
  @UseGuards(TrainerKeyGuard)
  @UseInterceptors(FaultInterceptor)
  chat(@Body() raw: Buffer = NO_BODY, @Headers('content-type') contentType?: string): Promise<CompletionsResponse> {
    return this.trainer.answerChat(readCompletionsRequest(parseBody(raw, contentType).fields));
  }

  @Post(COMPLETED_PATH)
  @HttpCode(200)
  @FaultRoute('completed')
  @UseGuards(TrainerKeyGuard)
  @UseInterceptors(FaultInterceptor)
  completed(@Body() raw: Buffer = NO_BODY, @Headers('content-type') contentType?: string): { readonly status: 'ok' } {
    this.trainer.complete(readRolloutCompletion(parseBody(raw, contentType).fields));
    return { status: 'ok' };
  }

  /** What is known of a rollout; an empty object when nothing is. */
  @Get(`${COMPLETED_PATH}/:rolloutId`)
  completionOf(@Param('rolloutId') rolloutId: string): RolloutCompletion | Record<string, never> {
    return this.trainer.completionOf(rolloutId) ?? {};
  }

  @Get('health')
  health(): { readonly status: string; readonly service: string } {
    return { status: 'healthy', service: 'mock-trainer' };
  }
}
