import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import type {
  ChatModel,
  CompletionMessage,
  DeliveryAttempt,
  RolloutOutcome,
  RolloutRequest,
  Trainer,
  TrainerAddress,
} from '#domain';
import { HttpTransport, isSuccess, parseHttpUrl, statusError } from '../transport/index.js';
import { TrainerChatClient, type ChatDialect, type TrainerChatServices } from '../client/chat-client.js';
import { chatEnvelope } from './chat-params.js';
import { renderCompletion } from './completion.js';
import {
  LIMIT_NAMES,
  TRAINER_CLIENT_DEFAULTS,
  TRAINER_CLIENT_SETTINGS,
  type TrainerClientSettings,
} from '../client/client.settings.js';
import { trainerHeaders } from '../client/trainer-headers.js';
import { joinTrainerUrl, TRAINER_PATHS } from './trainer-url.js';

/** The client side of the Osmosis remote-rollout protocol 0.2 (spec 1.4, 1.5, 3). */
@Injectable()
export class OsmosisV02Trainer implements Trainer {
  readonly dialect = 'osmosis-v0.2';
  readonly #logger = new Logger(OsmosisV02Trainer.name);
  readonly #chatServices: TrainerChatServices;
  readonly #warned = new Set<string>();

  constructor(
    private readonly transport: HttpTransport,
    @Optional()
    @Inject(TRAINER_CLIENT_SETTINGS)
    private readonly settings: TrainerClientSettings = TRAINER_CLIENT_DEFAULTS,
  ) {
    const onIgnored = (name: string): void => this.#warnOnce(name);
    const dialect: ChatDialect = {
      chatUrl: (request) => joinTrainerUrl(request.trainer.url, TRAINER_PATHS.chat),
      envelope: (call, request) => chatEnvelope(call.params, request.rolloutId, onIgnored),
    };
    this.#chatServices = { dialect, transport, settings };
  }

  openChat(request: RolloutRequest): ChatModel {
    return new TrainerChatClient(request, this.#chatServices);
  }

  renderCompletion(address: TrainerAddress, outcome: RolloutOutcome): CompletionMessage {
    return { url: joinTrainerUrl(address.url, TRAINER_PATHS.completed), body: renderCompletion(outcome) };
  }

  /** Any 2xx acknowledges (spec 13.7); its body is not read. */
  async deliver(address: TrainerAddress, message: CompletionMessage, attempt: DeliveryAttempt): Promise<void> {
    const url = parseHttpUrl(message.url);
    const secret = address.apiKey;
    const response = await this.transport.post({
      url,
      headers: trainerHeaders(address, attempt.idempotencyKey),
      body: message.body,
      timeoutMs: this.settings.deliveryTimeoutMs,
      timeoutName: LIMIT_NAMES.deliveryTimeoutMs,
      secret,
      cancellation: attempt.cancellation,
    });
    if (!isSuccess(response)) throw statusError(url, response, secret, this.settings.clock);
  }

  #warnOnce(name: string): void {
    if (this.#warned.has(name)) return;
    this.#warned.add(name);
    this.#logger.warn(
      `Chat parameter '${name}' is ignored: the server sets it itself. Leave it out of completion_params and ctx.chat.`,
    );
  }
}
