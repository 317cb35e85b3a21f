import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Test, type TestingModule } from '@nestjs/testing';
import { WorkspaceModule } from './workspace.module.js';
import { WorkspaceService } from './workspace.service.js';

const entry = (id: string, expires_at: string) => ({
  access_token: `tok-${id}`,
  token_type: 'Bearer',
  expires_at,
  user: { id: 'u', email: 'ada@example.com', name: null },
  organization: { id, name: 'Acme', role: 'owner' },
});

describe('WorkspaceService (spec D.5)', () => {
  let configDir: string;
  let module: TestingModule;
  let workspaces: WorkspaceService;

  beforeEach(async () => {
    configDir = await mkdtemp(join(tmpdir(), 'osmosis-workspace-'));
    module = await Test.createTestingModule({ imports: [WorkspaceModule.forRoot({ auth: { configDir } })] }).compile();
    workspaces = module.get(WorkspaceService);
  });

  afterEach(async () => {
    await module.close();
    await rm(configDir, { recursive: true, force: true });
  });

  const store = (active: string | null): Promise<void> =>
    writeFile(
      join(configDir, 'credentials.json'),
      JSON.stringify({
        version: 1,
        active_workspace: active,
        workspaces: {
          Acme: entry('org_1', '2099-01-01T00:00:00+00:00'),
          'Acme (org_2)': entry('org_2', '2020-01-01T00:00:00+00:00'),
        },
      }),
      { mode: 0o600 },
    );

  it('none', async () => {
    expect(await workspaces.list()).toEqual([]);
    expect(await workspaces.current()).toBeNull();
    await expect(workspaces.switchTo('Acme')).rejects.toMatchObject({
      code: 'WORKSPACE_NOT_FOUND',
      exitCode: 1,
      message: expect.stringContaining("Run 'osmosis login'"),
    });
  });

  it('lists them with their state', async () => {
    await store('Acme');
    expect(await workspaces.list()).toMatchObject([
      { name: 'Acme', active: true, state: 'valid' },
      { name: 'Acme (org_2)', active: false, state: 'expired', advice: expect.stringContaining('osmosis login') },
    ]);
    expect(await workspaces.current()).toMatchObject({ name: 'Acme', organization: { role: 'owner' } });
  });

  it('an active name that is not in the store is none', async () => {
    await store('Gone');
    expect(await workspaces.current()).toBeNull();
  });

  it('switches by name or by id, to an expired one too', async () => {
    await store('Acme');
    expect(await workspaces.switchTo('Acme (org_2)')).toMatchObject({ active: true, state: 'expired' });
    expect(JSON.parse(await readFile(join(configDir, 'credentials.json'), 'utf8')).active_workspace).toBe(
      'Acme (org_2)',
    );
    expect(await workspaces.switchTo('org_1')).toMatchObject({ name: 'Acme', active: true });
  });

  it('an unknown one: the error names those that are known, and nothing changes', async () => {
    await store('Acme');
    await expect(workspaces.switchTo('acme')).rejects.toMatchObject({
      message: expect.stringContaining("Known: 'Acme', 'Acme (org_2)'"),
    });
    expect((await workspaces.current())?.name).toBe('Acme');
  });
});
