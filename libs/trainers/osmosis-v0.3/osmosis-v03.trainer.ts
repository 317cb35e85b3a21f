import { Inject, Injectable, Logger, Optional } from '@nestjs/common';
import {
  OsmosisError,
  type ChatModel,
  type DeliveryAttempt,
  type RolloutOutcome,
  type RolloutRequest,
  type Trainer,
  type TrainerAddress,
  type TrainerCallbacks,
  type TrainerMessage,
  type TrajectoryReport,
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
import { renderCompletion, renderGrade } from './callbacks.js';
import { chatEnvelope } from './chat-envelope.js';
import { chatUrl } from './chat-url.js';
import { OSMOSIS_V03_DIALECT } from './dialect.js';

/**
 * The client side of the Osmosis rollout protocol 0.3 (spec 1.7 to 1.10): the completion callback announces that the agent
 * has ended, the grader callback brings the sample and its reward. A cancelled rollout says nothing: whoever cancelled it
 * owns the outcome.
 */
@Injectable()
export class OsmosisV03Trainer implements Trainer {
  readonly dialect = OSMOSIS_V03_DIALECT;
  readonly #logger = new Logger(OsmosisV03Trainer.name);
  readonly #chatServices: TrainerChatServices;

  constructor(
    private readonly transport: HttpTransport,
    @Optional()
    @Inject(TRAINER_CLIENT_SETTINGS)
    private readonly settings: TrainerClientSettings = TRAINER_CLIENT_DEFAULTS,
  ) {
    const ignored = new IgnoredParams(OsmosisV03Trainer.name);
    const dialect: ChatDialect = {
      chatUrl: ({ trainer }) => chatUrl(trainer.url),
      sender: ({ trainer }) => ({ url: trainer.url, apiKey: trainer.modelKey ?? trainer.apiKey }),
      envelope: (call) => chatEnvelope(call, ignored.warn),
    };
    this.#chatServices = { dialect, transport, settings };
  }

  openChat(request: RolloutRequest): ChatModel {
    return new TrainerChatClient(request, this.#chatServices);
  }

  announce({ trainer }: RolloutRequest, outcome: RolloutOutcome): TrainerMessage | null {
    if (isCancelled(outcome)) return null;
    return { url: callbacksOf(trainer).completionUrl, body: renderCompletion(outcome) };
  }

  render(request: RolloutRequest, outcome: RolloutOutcome): TrainerMessage | null {
    const { graderUrl } = callbacksOf(request.trainer);
    if (graderUrl === null || isCancelled(outcome)) return null;
    return { url: graderUrl, body: renderGrade(request, outcome) };
  }

  /** Both callbacks may be acknowledged with a report of the trajectory (spec 1.10). */
  async deliver(
    address: TrainerAddress,
    message: TrainerMessage,
    attempt: DeliveryAttempt,
  ): Promise<TrajectoryReport | void> {
    const sender = { url: message.url, apiKey: address.apiKey };
    const { body } = await postMessage(this.transport, this.settings, sender, message, attempt);
    if (!body.includes('"trajectory"')) return;
    // Loaded when somebody reports.
    const { readTrajectoryReport } = await import('#atif');
    const { report, fault } = readTrajectoryReport(body.toString());
    if (fault !== null) {
      this.#logger.warn(`The report in the acknowledgement of ${attempt.idempotencyKey} is not read: ${fault}.`);
    }
    return report ?? undefined;
  }
}

function isCancelled({ failure }: RolloutOutcome): boolean {
  return failure?.class === 'cancelled';
}

function callbacksOf({ callbacks }: TrainerAddress): TrainerCallbacks {
  if (callbacks) return callbacks;
  throw new OsmosisError(
    'INTERNAL',
    `A rollout of dialect '${OSMOSIS_V03_DIALECT}' has no addresses for its callbacks.`,
  );
}
