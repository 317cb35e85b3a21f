import { OsmosisError, type Secret, type TrainerAddress } from '#domain';

/** What a header value can carry everywhere: visible ASCII and spaces. */
const HEADER_TEXT = /^[\x20-\x7e]*$/;

/**
 * The headers of every post to a trainer (spec 1.10). The bearer is the rollout's `api_key`; without one, credentials in
 * the trainer's URL travel as Basic authentication, as the reference's client has it.
 *
 * @throws OsmosisError REQUEST_INVALID when the key cannot travel in a header; the text does not show it (case NT-15)
 */
export function trainerHeaders(
  trainer: Pick<TrainerAddress, 'url' | 'apiKey'>,
  idempotencyKey: string,
): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'nestjs-osmosis',
    'idempotency-key': headerText(idempotencyKey),
  };
  const authorization = trainer.apiKey ? bearer(trainer.apiKey) : basic(trainer.url);
  if (authorization) headers['authorization'] = authorization;
  return headers;
}

function bearer(key: Secret): string {
  const value = key.reveal();
  if (HEADER_TEXT.test(value)) return `Bearer ${value}`;
  throw new OsmosisError(
    'REQUEST_INVALID',
    "The trainer's api_key holds characters that cannot travel in an HTTP header (control characters, or none of " +
      'ASCII). Send the key without them.',
  );
}

function basic(url: string): string | null {
  const userInfo = /^[^/?#]*\/\/([^/?#]*)@/.exec(url)?.[1];
  if (!userInfo || !URL.canParse(url)) return null;
  const { username, password } = new URL(url);
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/** A key of any characters as header text: what is not plain is percent-encoded. Equal keys stay equal. */
function headerText(key: string): string {
  if (/^[A-Za-z0-9._~:-]+$/.test(key)) return key;
  return key
    .split(':')
    .map((part) => encodeURIComponent(part.replace(/\p{Surrogate}/gu, '\ufffd')))
    .join(':');
}
