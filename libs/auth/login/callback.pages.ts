import { createHash } from 'node:crypto';

const STYLE = `
:root { color-scheme: light dark; --ground: #f4f5f7; --card: #ffffff; --text: #1b1f24; --quiet: #555d68; --line: #d5d9df; --good: #176f3d; --bad: #a81c1c; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #14171b; --card: #1e2328; --text: #eceff2; --quiet: #a7b0bb; --line: #3a424b; --good: #6fd398; --bad: #ff9a94; }
}
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1.5rem; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 28rem; padding: 2.5rem 2rem; background: var(--card); border: 1px solid var(--line); border-radius: 0.75rem; text-align: center; }
.brand { margin: 0 0 1.5rem; color: var(--quiet); letter-spacing: 0.04em; }
h1 { margin: 0 0 0.75rem; font-size: 1.5rem; line-height: 1.25; }
.good { color: var(--good); }
.bad { color: var(--bad); }
.reason { margin: 1.25rem 0 0; padding: 0.75rem 1rem; border: 1px solid var(--bad); border-radius: 0.5rem; text-align: left; overflow-wrap: anywhere; }
footer { margin-top: 2rem; color: var(--quiet); font-size: 0.875rem; }
`;

/** Takes the token out of the address bar and out of the tab's history. The page is complete without it. */
const SCRIPT = `history.replaceState(null, '', location.pathname);`;

/** Headers of every page: nothing is loaded, cached, framed or told to another site (spec H 20, case CL-22). */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    `default-src 'none'; style-src '${hashOf(STYLE)}'; script-src '${hashOf(SCRIPT)}'; ` +
    `base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

export function successPage(): string {
  return page({
    title: 'Login successful',
    mood: 'good',
    role: 'status',
    sentence: 'You are logged in. You can close this tab and go back to the terminal.',
    reason: null,
  });
}

/** @param reason why, as plain text: it may come from anywhere and is escaped */
export function failurePage(reason: string): string {
  return page({
    title: 'Login failed',
    mood: 'bad',
    role: 'alert',
    sentence: 'You are not logged in. The terminal says what to do next.',
    reason,
  });
}

/** For a request that does not belong to the login that waits here. */
export function strangerPage(): string {
  return page({
    title: 'Not this login',
    mood: 'bad',
    role: 'alert',
    sentence: 'This address does not belong to the login that waits in the terminal. Use the address shown there.',
    reason: null,
  });
}

interface PageParts {
  readonly title: string;
  readonly mood: 'good' | 'bad';
  readonly role: 'status' | 'alert';
  readonly sentence: string;
  readonly reason: string | null;
}

function page({ title, mood, role, sentence, reason }: PageParts): string {
  const box = reason === null ? '' : `\n<p class="reason">${escapeHtml(reason)}</p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Osmosis</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<p class="brand"><span aria-hidden="true">◐</span> Osmosis</p>
<div role="${role}">
<h1 class="${mood}">${title}</h1>
<p>${sentence}</p>${box}
</div>
<footer>osmosis command line</footer>
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
