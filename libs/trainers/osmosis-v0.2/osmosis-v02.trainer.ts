import { Inject, Injectable, Optional } from '@nestjs/common';
import {
  TextMemo,
  type ChatModel,
  type DeliveryAttempt,
  type RolloutOutcome,
  type RolloutRequest,
  type Trainer,
  type TrainerAddress,
  type TrainerMessage,
} from '#domain';
import { TrainerChatClient, type ChatDialect, type TrainerChatServices } from '../client/chat-client.js';
import {
  TRAINER_CLIENT_DEFAULTS,
  TRAINER_CLIENT_SETTINGS,
  type TrainerClientSettings,
} from '../client/client.settings.js';
import { IgnoredParams } from '../client/ignored-params.js';
import { postMessage } from '../client/post-message.js';
import { HttpTransport } from '../transport/index.js';
import { chatEnvelope } from './chat-params.js';
import { renderCompletion } from './completion.js';
import { joinTrainerUrl, TRAINER_PATHS } from './trainer-url.js';

const chatUrls = new TextMemo((base) => joinTrainerUrl(base, TRAINER_PATHS.chat));
const completedUrls = new TextMemo((base) => joinTrainerUrl(base, TRAINER_PATHS.completed));

/** The client side of the Osmosis remote-rollout protocol 0.2 (spec 1.4, 1.5, 3). */
@Injectable()
export class OsmosisV02Trainer implements Trainer {
  readonly dialect = 'osmosis-v0.2';
  readonly #chatServices: TrainerChatServices;

  constructor(
    private readonly transport: HttpTransport,
    @Optional()
    @Inject(TRAINER_CLIENT_SETTINGS)
    private readonly settings: TrainerClientSettings = TRAINER_CLIENT_DEFAULTS,
  ) {
    const ignored = new IgnoredParams(OsmosisV02Trainer.name);
    const dialect: ChatDialect = {
      chatUrl: ({ trainer }) => chatUrls.get(trainer.url),
      sender: ({ trainer }) => trainer,
      envelope: (call, request) => chatEnvelope(call.params, request.rolloutId, ignored.warn),
    };
    this.#chatServices = { dialect, transport, settings };
  }

  openChat(request: RolloutRequest): ChatModel {
    return new TrainerChatClient(request, this.#chatServices);
  }

  render({ trainer }: RolloutRequest, outcome: RolloutOutcome): TrainerMessage {
    return { url: completedUrls.get(trainer.url), body: renderCompletion(outcome) };
  }

  /** The acknowledgement's body is not read. */
  deliver(address: TrainerAddress, message: TrainerMessage, attempt: DeliveryAttempt): Promise<void> {
    return postMessage(this.transport, this.settings, address, message, attempt).then(noReport);
  }
}

function noReport(): void {}
