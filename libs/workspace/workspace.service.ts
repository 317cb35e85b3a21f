import { viewWorkspace, type AuthSettings, type CredentialStore, type WorkspaceView } from '#auth/plain';
import { OsmosisError } from '#domain';

/** The workspaces that are logged in on this machine, and which of them is used (spec D.5). */
export class WorkspaceService {
  constructor(
    private readonly auth: AuthSettings,
    private readonly store: CredentialStore,
  ) {}

  /** In the order of the file. */
  async list(): Promise<WorkspaceView[]> {
    const now = this.auth.clock.now();
    return (await this.store.list()).map((workspace) => viewWorkspace(workspace, now));
  }

  /** Null when none is active. */
  async current(): Promise<WorkspaceView | null> {
    return (await this.list()).find(({ active }) => active) ?? null;
  }

  /**
   * Makes a workspace the active one, by its name or its organisation's id. One that has expired may be chosen; its
   * `advice` says what to do.
   *
   * @throws OsmosisError `WORKSPACE_NOT_FOUND`
   */
  async switchTo(nameOrId: string): Promise<WorkspaceView> {
    const chosen = await this.find(nameOrId);
    if (!(await this.store.setActive(chosen.name))) throw notFound(nameOrId, await this.list());
    return { ...chosen, active: true };
  }

  /**
   * By its name, or by its organisation's id where that is unique.
   *
   * @throws OsmosisError `WORKSPACE_NOT_FOUND` naming those that are known
   */
  async find(nameOrId: string): Promise<WorkspaceView> {
    const workspaces = await this.list();
    const byName = workspaces.find(({ name }) => name === nameOrId);
    const byId = workspaces.filter(({ organization }) => organization !== null && organization.id === nameOrId);
    const chosen = byName ?? (byId.length === 1 ? byId[0] : undefined);
    if (!chosen) throw notFound(nameOrId, workspaces);
    return chosen;
  }
}

function notFound(nameOrId: string, workspaces: readonly WorkspaceView[]): OsmosisError {
  const names = workspaces.map(({ name }) => name);
  const known =
    names.length > 0
      ? `Known: ${names.map((name) => `'${name}'`).join(', ')}. See 'osmosis workspace list'.`
      : "None is logged in. Run 'osmosis login'.";
  return new OsmosisError('WORKSPACE_NOT_FOUND', `There is no workspace '${nameOrId}'. ${known}`, {
    details: { workspace: nameOrId, known: names },
  });
}
