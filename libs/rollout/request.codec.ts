import { Secret, type RolloutRequest, type TrainerAddress } from '#domain';

/** What is stored of a trainer's address: all but its bearers, which the store keeps encrypted. */
type StoredAddress = Omit<TrainerAddress, 'apiKey' | 'modelKey'> & { readonly twoKeys?: true };

export function encodeRequest(request: RolloutRequest): string {
  const { dialect, url, callbacks, modelKey } = request.trainer;
  const trainer: StoredAddress = { dialect, url, callbacks, twoKeys: modelKey ? true : undefined };
  return JSON.stringify({ ...request, trainer });
}

/** The bearers of a trainer as one text to encrypt; null when there are none. */
export function encodeKeys({ apiKey, modelKey }: TrainerAddress): Secret | null {
  if (!modelKey) return apiKey;
  return Secret.from(JSON.stringify([apiKey?.reveal() ?? null, modelKey.reveal()]));
}

/** @param keys what `encodeKeys` gave; null also when the store cannot read it any more */
export function decodeRequest(text: string, keys: Secret | null): RolloutRequest {
  const stored = JSON.parse(text) as RolloutRequest & { readonly trainer: StoredAddress };
  const { twoKeys, ...address } = stored.trainer;
  if (!twoKeys || !keys) return { ...stored, trainer: { ...address, apiKey: keys } };
  const [apiKey, modelKey] = JSON.parse(keys.reveal()) as [string | null, string];
  return { ...stored, trainer: { ...address, apiKey: Secret.from(apiKey), modelKey: Secret.from(modelKey) } };
}
