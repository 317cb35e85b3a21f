import type { RolloutRequest, Secret } from '#domain';

/** A request as it is stored: all of it but the bearer, which the store keeps encrypted. */
export function encodeRequest(request: RolloutRequest): string {
  const { dialect, url } = request.trainer;
  return JSON.stringify({ ...request, trainer: { dialect, url } });
}

export function decodeRequest(text: string, apiKey: Secret | null): RolloutRequest {
  const stored = JSON.parse(text) as RolloutRequest;
  return { ...stored, trainer: { ...stored.trainer, apiKey } };
}
