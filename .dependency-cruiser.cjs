/**
 * The arrows between the rooms (they point down only), and no circles. A room may import what stands in its row.
 * `@type {import('dependency-cruiser').IConfiguration}`
 */
const MAY_IMPORT = {
  domain: [],
  atif: ['domain'],
  discovery: ['domain'],
  agent: ['discovery', 'domain'],
  model: ['domain'],
  reward: ['agent', 'discovery', 'domain'],
  rubric: ['reward', 'model', 'agent', 'discovery', 'domain'],
  rollout: ['atif', 'reward', 'agent', 'discovery', 'domain'],
  mcp: ['agent', 'discovery', 'domain'],
  trainers: ['rollout', 'atif', 'reward', 'agent', 'discovery', 'domain'],
  evaluation: ['rollout', 'mcp', 'rubric', 'model', 'reward', 'agent', 'discovery', 'domain'],
  auth: ['domain'],
  workspace: ['auth', 'domain'],
  testing: ['trainers', 'atif', 'auth', 'workspace', 'rollout', 'reward', 'agent', 'discovery', 'domain'],
  osmosis: ['trainers', 'mcp', 'rollout', 'rubric', 'model', 'reward', 'agent', 'discovery', 'domain'],
};

module.exports = {
  forbidden: [
    {
      name: 'no-circles',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    { name: 'no-unresolved', severity: 'error', from: {}, to: { couldNotResolve: true } },
    ...Object.entries(MAY_IMPORT).map(([room, allowed]) => ({
      name: `arrows-of-${room}`,
      comment: `libs/${room} may import ${allowed.join(', ') || 'nothing of ours'}`,
      severity: 'error',
      from: { path: `^libs/${room}/` },
      to: { path: '^(libs|src)/', pathNot: `^libs/(${[room, ...allowed].join('|')})/` },
    })),
    {
      name: 'rooms-are-entered-through-their-index',
      comment: 'plain/index.ts is the part of a room that needs no Nest: for quick commands',
      severity: 'error',
      from: { path: '^libs/([^/]+)/' },
      to: { path: '^libs/([^/]+)/(?!(plain/|openapi/)?index\\.ts$)', pathNot: '^libs/$1/' },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '\\.spec\\.ts$' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.arrows.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js'],
    },
  },
};
