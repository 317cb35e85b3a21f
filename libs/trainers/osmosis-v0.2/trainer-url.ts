import { withoutCredentials } from '../transport/index.js';

/** What we post to, below the trainer's base URL (spec 1.1). */
export const TRAINER_PATHS = {
  chat: '/v1/chat/completions',
  completed: '/v1/rollout/completed',
} as const;

/** Scheme, authority and path: a base URL without query and fragment. */
const PLAIN_BASE = /^[^/?#]*\/\/[^/?#]+(?:\/[^?#]*)?$/;

/**
 * The trainer's base URL with one of {@link TRAINER_PATHS} after it. Trailing slashes go (case NT-07), and so does a last
 * path segment that is just `v1`, because the paths begin with it (case NT-08). Otherwise the two texts are put together
 * as they are, also behind a query (spec 1.1). Credentials in the base are left out: they travel in a header, if at all.
 */
export function joinTrainerUrl(base: string, path: string): string {
  const trimmed = withoutTrailingSlashes(withoutCredentials(base.trim()));
  return withoutVersion(trimmed) + path;
}

function withoutVersion(base: string): string {
  const rest = base.endsWith('/v1') && PLAIN_BASE.test(base) ? withoutTrailingSlashes(base.slice(0, -3)) : base;
  // `http://v1` is a host of that name.
  return PLAIN_BASE.test(rest) ? rest : base;
}

function withoutTrailingSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '/') end--;
  return text.slice(0, end);
}
