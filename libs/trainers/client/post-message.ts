import type { DeliveryAttempt, TrainerAddress, TrainerMessage } from '#domain';
import { isSuccess, parseHttpUrl, statusError, type HttpResponse, type HttpTransport } from '../transport/index.js';
import { LIMIT_NAMES, type TrainerClientSettings } from './client.settings.js';
import { trainerHeaders } from './trainer-headers.js';

/**
 * One attempt at telling a trainer something. Any 2xx acknowledges (spec 0.2, 13.7).
 *
 * @param sender whose bearer goes along, and whose URL may hold credentials
 * @throws PeerError for every other end
 */
export async function postMessage(
  transport: HttpTransport,
  settings: TrainerClientSettings,
  sender: Pick<TrainerAddress, 'url' | 'apiKey'>,
  message: TrainerMessage,
  attempt: DeliveryAttempt,
): Promise<HttpResponse> {
  const url = parseHttpUrl(message.url);
  const secret = sender.apiKey;
  const response = await transport.post({
    url,
    headers: trainerHeaders(sender, attempt.idempotencyKey),
    body: message.body,
    timeoutMs: settings.deliveryTimeoutMs,
    timeoutName: LIMIT_NAMES.deliveryTimeoutMs,
    secret,
    cancellation: attempt.cancellation,
  });
  if (!isSuccess(response)) throw statusError(url, response, secret, settings.clock);
  return response;
}
