import type { WorkspaceView } from '#auth/plain';
import { createWorkspace, type WorkspaceService } from '#workspace/plain';
import {
  expiryText,
  rowsText,
  stateMark,
  userRows,
  workspaceMarks,
  workspaceTitle,
} from '../../account/account-text.js';
import { openAuth } from '../../account/command-auth.js';
import { note, warn, writeJson, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { WORKSPACE_CURRENT, WORKSPACE_LIST, WORKSPACE_SWITCH } from './workspace.declarations.js';

/** The three commands of spec D.5. */

export async function list(context: CommandContext): Promise<number> {
  const workspaces = await openWorkspaces(context).list();
  if (context.json) writeJson(context, WORKSPACE_LIST.name, { workspaces });
  else if (workspaces.length === 0) note(context, "No workspace is logged in here. Run 'osmosis login'.");
  else context.stdout.write(workspaces.map(line).join(''));
  return 0;
}

export async function current(context: CommandContext): Promise<number> {
  const workspace = await openWorkspaces(context).current();
  if (context.json) {
    writeJson(context, WORKSPACE_CURRENT.name, { workspace });
    return 0;
  }
  if (!workspace) {
    note(context, "No workspace is active. Run 'osmosis login', or choose one with 'osmosis workspace switch'.");
    return 0;
  }
  context.stdout.write(currentText(workspace));
  advise(context, workspace);
  return 0;
}

export async function switchTo(context: CommandContext, line: ParsedLine): Promise<number> {
  const workspace = await openWorkspaces(context).switchTo(line.arguments[0] ?? '');
  if (context.json) writeJson(context, WORKSPACE_SWITCH.name, { workspace });
  else context.stdout.write(`Switched to ${workspaceTitle(workspace)}${stateMark(workspace.state)}.\n`);
  if (!context.json) advise(context, workspace);
  return 0;
}

function openWorkspaces(context: CommandContext): WorkspaceService {
  return createWorkspace(openAuth(context)).workspaces;
}

function line(workspace: WorkspaceView): string {
  return `  ${workspaceTitle(workspace)}${workspaceMarks(workspace)}, ${workspace.expiry}\n`;
}

function currentText(workspace: WorkspaceView): string {
  const { user, expiresAt, expiry, state } = workspace;
  return rowsText([
    ['Workspace', `${workspaceTitle(workspace)}${stateMark(state)}`],
    ...(user ? userRows(user) : []),
    ['Expires', expiresAt === null ? expiry : expiryText(expiresAt, expiry)],
  ]);
}

function advise(context: CommandContext, { advice }: WorkspaceView): void {
  if (advice !== null) warn(context, advice);
}
