import type { WorkspaceView } from '#auth/plain';
import { OsmosisError } from '#domain';
import type { WorkspaceService } from '#workspace/plain';
import { printable, workspaceMarks, workspaceTitle } from '../../account/account-text.js';
import type { Prompt } from '../../cli/prompt.js';

export interface LogoutWishes {
  /** Name of a workspace, or the id of its organisation. */
  readonly named: string | undefined;
  readonly all: boolean;
  readonly yes: boolean;
}

/** Which logins are to go. `all` includes a credentials file that cannot be read. */
export type LogoutChoice =
  { readonly kind: 'some'; readonly names: readonly string[] } | { readonly kind: 'all' | 'nothing' | 'cancelled' };

const SEVERAL = "Name one ('osmosis logout <workspace>'), or give --all --yes.";

/**
 * Finds out which logins the user wants to be rid of (spec D.4): a name says it, one login is confirmed, several are
 * chosen from. `--yes` leaves the confirmation out, never the choice.
 *
 * @throws OsmosisError `WORKSPACE_NOT_FOUND`, or `USAGE` where somebody would have to be asked and nobody can
 */
export async function chooseLogins(
  workspaces: WorkspaceService,
  { named, all, yes }: LogoutWishes,
  prompt: Prompt,
): Promise<LogoutChoice> {
  if (named !== undefined && all) {
    throw new OsmosisError('USAGE', `--all and '${named}' exclude each other. Give one of them.`);
  }
  if (named !== undefined) return { kind: 'some', names: [(await workspaces.find(named)).name] };
  const stored = await listReadable(workspaces);
  const confirmed = async (question: string, cure: string, choice: LogoutChoice): Promise<LogoutChoice> => {
    if (yes) return choice;
    prompt.require(question, cure);
    return (await prompt.confirm(question)) ? choice : { kind: 'cancelled' };
  };
  if (stored === null) {
    const question = 'The credentials file cannot be read. Keep it under another name and begin a new one?';
    return confirmed(question, 'Give --yes.', { kind: 'all' });
  }
  const [first, ...others] = stored;
  if (!first) return { kind: 'nothing' };
  const confirmAll = (): Promise<LogoutChoice> => {
    const names = stored.map(({ name }) => printable(name)).join(', ');
    return confirmed(`Log out of all ${stored.length} workspaces (${names})?`, 'Give --yes.', { kind: 'all' });
  };
  const confirmOne = (workspace: WorkspaceView): Promise<LogoutChoice> =>
    confirmed(`Log out of ${workspaceTitle(workspace)}?`, 'Give --yes.', { kind: 'some', names: [workspace.name] });

  if (others.length === 0) return confirmOne(first);
  if (all) return confirmAll();
  prompt.require('Which of the workspaces to log out of?', SEVERAL);
  const answer = await prompt.ask(menu(stored));
  if (answer === null || !/^\d+$/.test(answer) || Number(answer) === 0) return { kind: 'cancelled' };
  const chosen = stored[Number(answer) - 1];
  if (chosen) return confirmOne(chosen);
  if (Number(answer) === stored.length + 1) return confirmAll();
  throw new OsmosisError('WORKSPACE_NOT_FOUND', `There is no number ${answer} in the list. Nothing was changed.`);
}

/** Null for a file that cannot be understood. */
async function listReadable(workspaces: WorkspaceService): Promise<readonly WorkspaceView[] | null> {
  try {
    return await workspaces.list();
  } catch (error) {
    if (OsmosisError.is(error) && error.code === 'CREDENTIALS_INVALID') return null;
    throw error;
  }
}

function menu(workspaces: readonly WorkspaceView[]): string {
  const entries = [
    ...workspaces.map((workspace) => `${workspaceTitle(workspace)}${workspaceMarks(workspace)}`),
    'all of them',
  ];
  const lines = entries.map((entry, index) => `  ${index + 1}) ${entry}\n`);
  return `Log out of which workspace?\n${lines.join('')}  0) none, cancel\nNumber: `;
}
