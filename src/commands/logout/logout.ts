import type { LogoutReport, LogoutResult } from '#auth/plain';
import { createWorkspace } from '#workspace/plain';
import { printable } from '../../account/account-text.js';
import { openAuth } from '../../account/command-auth.js';
import { note, warn, writeJson, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { Prompt } from '../../cli/prompt.js';
import { chooseLogins, type LogoutChoice } from './logout.choice.js';
import { LOGOUT } from './logout.declaration.js';

export async function run(context: CommandContext, { options, arguments: [named] }: ParsedLine): Promise<number> {
  const auth = openAuth(context);
  const { workspaces } = createWorkspace(auth);
  const prompt = new Prompt(context);
  const wishes = { named, all: options.flag('all'), yes: options.flag('yes') };
  const choice = await chooseLogins(workspaces, wishes, prompt).finally(() => prompt.close());
  if (choice.kind === 'cancelled') {
    note(context, 'Cancelled; nothing was changed.');
    return 0;
  }
  const report = await auth.logout.logout({ workspaces: namesOf(choice), revoke: options.flag('revoke') });
  if (context.json) writeJson(context, LOGOUT.name, report);
  else show(context, report, choice);
  if (report.overriddenByEnvironment) {
    warn(context, 'OSMOSIS_TOKEN is set: calls to the platform are still made with it. Unset it to be logged out.');
  }
  return 0;
}

/** Undefined: all of them. */
function namesOf(choice: LogoutChoice): readonly string[] | undefined {
  if (choice.kind === 'some') return choice.names;
  return choice.kind === 'all' ? undefined : [];
}

function show(context: CommandContext, { results, active, movedAside }: LogoutReport, choice: LogoutChoice): void {
  for (const result of results) {
    context.stdout.write(`Logged out of ${printable(result.workspace)}; ${tokenText(result)}.\n`);
  }
  for (const { workspace, token, problem } of results) {
    if (token !== 'failed') continue;
    warn(context, `The token for '${printable(workspace)}' was not revoked and is valid until it expires. ${problem}`);
  }
  // That a file was moved aside, the store has said itself.
  if (results.length === 0 && movedAside === null) note(context, 'Nobody is logged in here; there is nothing to do.');
  if (results.length > 1) context.stdout.write(`Logged out of ${results.length}/${results.length} workspaces.\n`);
  if (choice.kind === 'some' && active !== null) note(context, `The active workspace is ${printable(active)}.`);
}

function tokenText({ token }: LogoutResult): string {
  switch (token) {
    case 'revoked':
      return 'its token was revoked';
    case 'expired':
      return 'its token had expired';
    case 'unknown':
      return 'its token could not be told to the platform, and was not revoked';
    case 'kept':
      return 'its token stays valid on the platform until it expires';
    case 'failed':
      return 'its token was not revoked';
  }
}
