import type { Organization, PlatformUser, WorkspaceView } from '#auth/plain';

/** Names come from the platform and from a file: nothing in them may steer the terminal. */
export function printable(text: string): string {
  return text.replace(/\p{Cc}/gu, '');
}

/** `Acme (owner)`; the role is missing where an entry cannot be read. */
export function workspaceTitle({ name, organization }: Pick<WorkspaceView, 'name' | 'organization'>): string {
  return printable(organization ? `${name} (${organization.role})` : name);
}

/** ` (active)` and ` [expired]`, as the reference marks workspaces (spec D.4, D.5). */
export function workspaceMarks({ active, state }: WorkspaceView): string {
  return `${active ? ' (active)' : ''}${stateMark(state)}`;
}

export function stateMark(state: WorkspaceView['state']): string {
  return state === 'valid' ? '' : ` [${state}]`;
}

/** `Email:` and, if there is one, `Name:`. */
export function userRows({ email, name }: PlatformUser): Row[] {
  return [['Email', printable(email)], ...(name ? [['Name', printable(name)] as const] : [])];
}

export function organizationRow(name: string, organization: Organization): Row {
  return ['Workspace', workspaceTitle({ name, organization })];
}

/** `2026-03-01 (expires in 89 days)`. */
export function expiryText(expiresAt: string | Date, words: string): string {
  return `${new Date(expiresAt).toISOString().slice(0, 10)} (${words})`;
}

export type Row = readonly [name: string, value: string];

/** `Email:      ada@example.com`, the values under each other. */
export function rowsText(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 1;
  return rows.map(([name, value]) => `${`${name}:`.padEnd(width)} ${value}\n`).join('');
}
