import { createHash } from 'node:crypto';

/**
 * A name for a file or folder of any rollout id: the id itself when that is plainly safe, else a readable part of it and a
 * hash. Ids are chosen by the trainer and may be `../x`, absolute paths, or 256 emoji.
 */
export function fileNameOf(rolloutId: string): string {
  if (/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,120}$/.test(rolloutId)) return rolloutId;
  const readable = rolloutId.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 40);
  const hash = createHash('sha256').update(rolloutId).digest('hex').slice(0, 24);
  return `${readable}~${hash}`;
}
