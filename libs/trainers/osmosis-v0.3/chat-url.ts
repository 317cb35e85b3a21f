import { withoutCredentials } from '../transport/index.js';

/** The chat endpoint below a base URL, as OpenAI's clients make it: behind its path, before its query. */
export function chatUrl(base: string): string {
  const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(withoutCredentials(base.trim())) ?? [];
  return `${path.replace(/\/+$/, '')}/chat/completions${rest}`;
}
