import { AuthRequiredError, expiryInWords, type WhoAmI, type WorkspaceView } from '#auth/plain';
import {
  expiryText,
  organizationRow,
  rowsText,
  stateMark,
  userRows,
  workspaceTitle,
} from '../../account/account-text.js';
import { openAuth } from '../../account/command-auth.js';
import { note, warn, writeJson, type CommandContext } from '../../cli/command-context.js';
import type { ParsedLine } from '../../cli/parse.js';
import { WHOAMI } from './whoami.declaration.js';

export async function run(context: CommandContext, { options }: ParsedLine): Promise<number> {
  const auth = openAuth(context);
  const who = await auth.whoami.whoami({ verify: options.flag('verify') });
  if (who.source === null) throw new AuthRequiredError("Not logged in. Run 'osmosis login', or set OSMOSIS_TOKEN.");
  if (context.json) {
    writeJson(context, WHOAMI.name, who);
    return 0;
  }
  context.stdout.write(whoamiText(who, auth.settings.clock.now()));
  if (who.source === 'environment') {
    const hint = who.verified ? '' : ' --verify shows whose it is.';
    note(context, `OSMOSIS_TOKEN is set and decides, whatever is stored.${hint}`);
    return 0;
  }
  const active = who.workspaces.find((workspace) => workspace.active);
  if (!active) note(context, "No workspace is active. Choose one: 'osmosis workspace switch <name>'.");
  else if (active.advice !== null) warn(context, active.advice);
  return 0;
}

/** The form of spec D.3, with the expiry in words behind each workspace. */
function whoamiText({ user, workspaces, verified, platformUrl }: WhoAmI, nowMs: number): string {
  const blocks = [];
  if (user) blocks.push(rowsText(userRows(user)));
  if (verified) {
    const { organization, expiresAt } = verified;
    blocks.push(
      rowsText([
        ['Verified by', platformUrl],
        organizationRow(organization.name, organization),
        ['Expires', expiryText(expiresAt, expiryInWords(new Date(expiresAt), nowMs))],
      ]),
    );
  }
  if (workspaces.length > 0) blocks.push(`Workspaces (${workspaces.length}):\n${workspaces.map(line).join('')}`);
  return blocks.join('\n');
}

function line(workspace: WorkspaceView): string {
  const { active, state, expiry } = workspace;
  return `  ${workspaceTitle(workspace)}${active ? ' *' : ''}${stateMark(state)}, ${expiry}\n`;
}
