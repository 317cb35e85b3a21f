import type { LoginEvent, LoginListener } from '#auth/plain';
import { printable } from '../../account/account-text.js';
import { note, type CommandContext } from '../../cli/command-context.js';

/**
 * Shows on stderr what happens during a login. What the user must act on is shown even with `--quiet`. With `--json` each
 * event is one JSON line.
 */
export function loginProgress(context: CommandContext): LoginListener {
  if (context.json) {
    return (event) => context.stderr.write(`${JSON.stringify({ schemaVersion: 1, event })}\n`);
  }
  return (event) => {
    const request = requestText(event, context);
    if (request !== null) context.stderr.write(`${request}\n`);
    else note(context, progressText(event));
  };
}

/** What the user is asked to do; null for an event that asks for nothing. */
function requestText(event: LoginEvent, { paint }: CommandContext): string | null {
  if (event.type === 'address') {
    return `To log in, open this address in a browser on this machine:\n\n  ${paint.stderr('cyan', event.url)}\n`;
  }
  if (event.type === 'device-code') {
    const minutes = Math.max(1, Math.floor(event.expiresInMs / 60_000));
    const code = paint.stderr('bold', printable(event.userCode));
    const complete = event.verificationUriComplete;
    return (
      `To log in, open this address in any browser and enter the code ${code} within ${minutes} min:\n\n` +
      `  ${paint.stderr('cyan', event.verificationUri)}\n` +
      (complete ? `\nOr open it with the code filled in:\n\n  ${paint.stderr('cyan', complete)}\n` : '')
    );
  }
  return null;
}

function progressText(event: LoginEvent): string {
  if (event.type === 'verifying') return 'Verifying the login with the platform.';
  if (event.type !== 'browser') return '';
  if (event.opened) return 'It was opened in your browser. Waiting; Ctrl-C cancels.';
  return (
    `No browser could be opened: ${event.reason}. Open the address by hand, or end this with Ctrl-C and use ` +
    "'osmosis login --device'."
  );
}
