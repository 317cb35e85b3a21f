import {
  AGENT_SOURCE,
  createProject,
  endProcesses,
  ensureBuilt,
  removeProjects,
  runCli,
  startCli,
} from './support/cli.js';

jest.setTimeout(120_000);
beforeAll(ensureBuilt);
afterEach(endProcesses);
afterAll(removeProjects);

function validate(source: string, ...flags: string[]): ReturnType<typeof runCli> {
  return runCli(['validate', '-m', 'agent.ts', ...flags], { cwd: createProject({ 'agent.ts': source }) });
}

/** An agent with the given body. */
function agent(body: string, name = "'tested'"): string {
  return `
import { Agent, Reward, RolloutContext, Tool, defineTool } from 'nestjs-osmosis';
@Agent({ name: ${name} } as never)
export class TestedAgent { ${body} }
`;
}

describe('osmosis validate: agents', () => {
  it('12.14: a valid agent in the form of spec 11.4, exit code 0', async () => {
    const { code, stdout, stderr } = await validate(AGENT_SOURCE);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe("Agent loop 'calculator' validated successfully.\n  - Tools: 1\n  - Rewards: 1\n");
  });

  it('a module that loads a package which the program itself leaves out gets it whole', async () => {
    const { code, stderr } = await validate(`
import { createRequire } from 'node:module';
const ours = createRequire(createRequire(import.meta.url).resolve('nestjs-osmosis/package.json'));
const { prompt } = createRequire(ours.resolve('nest-commander'))('inquirer');
if (typeof prompt !== 'function') throw new Error('no prompt');
const nest = createRequire(ours.resolve('@nestjs/platform-fastify'));
if (!createRequire(nest.resolve('fastify'))('semver').Range) throw new Error('no Range');
${agent('')}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('there is one rxjs, whoever imports which of its entries', async () => {
    const { code, stderr } = await validate(`
import { createRequire } from 'node:module';
import { Observable, of } from 'rxjs';
import { map } from 'rxjs/operators';
import { WebSocketSubject } from 'rxjs/webSocket';
import { TestScheduler } from 'rxjs/testing';
const required = createRequire(import.meta.url)('rxjs');
if (required.Observable !== Observable || required.map !== map) throw new Error('two copies');
if (!(of(1).pipe(map(String)) instanceof Observable)) throw new Error('no Observable');
if (!(WebSocketSubject.prototype instanceof Observable) || !TestScheduler) throw new Error('another copy');
${agent('')}`);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('an application starts without what it may never need', async () => {
    const cwd = createProject({ 'agent.ts': agent('') });
    const env = { NODE_DEBUG: 'esm,module' };
    const { code, stderr } = await runCli(['validate', '--no-dry-run', '-m', 'agent.ts'], { cwd, env });
    expect(code).toBe(0);
    const loaded = (files: string): RegExp =>
      new RegExp(`(load "|Translating \\w+ file://)[^"\\s]*/node_modules/(${files})/`);
    expect(stderr).toMatch(loaded('@nestjs/core'));
    expect(stderr).toMatch(loaded('fastify'));
    const packages = 'undici|simple-statistics|ajv|class-validator|openai|@nestjs/terminus|inquirer|typescript';
    expect(stderr).not.toMatch(loaded(`${packages}|semver/ranges|rxjs/dist/cjs/internal`));
  });

  it('12.14: no tools at all is valid', async () => {
    const { code, stdout } = await validate(agent(''));
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: "Agent loop 'tested' validated successfully.\n  - Tools: 0\n",
    });
  });

  it.each([
    ['undefined', 'MISSING_NAME'],
    ['5', 'INVALID_NAME_TYPE'],
    ["'  '", 'EMPTY_NAME'],
  ])('an agent called %s is %s, exit code 4', async (name, issue) => {
    const { code, stdout, stderr } = await validate(agent('', name));
    expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
    expect(stderr).toMatch(/^Error: Agent loop validation failed with 1 error\(s\):\n {2}- \[/);
    expect(stderr).toContain(`[${issue}] name:`);
  });

  it.each([
    ['run = async (ctx: RolloutContext) => ctx.complete([]);', 'MISSING_RUN_METHOD', 'run'],
    ["getTools() { throw new TypeError('no tools today'); }", 'GET_TOOLS_EXCEPTION', 'getTools'],
    ["getTools() { return [{ type: 'function', function: {} }]; }", 'MISSING_FUNCTION_NAME', 'tools[0].function.name'],
    [
      "@Tool({ description: 'x' }) a(input: Map<string, string>) { return input; }",
      'INVALID_PARAMETERS_TYPE',
      'function.parameters',
    ],
  ])('13.6: %s is %s', async (body, code, field) => {
    const result = await validate(agent(body), '--json', '--no-dry-run');
    expect(result.code).toBe(4);
    const { error } = JSON.parse(result.stdout) as { error: { details: Record<string, unknown> } };
    expect(error.details).toMatchObject({
      issues: expect.arrayContaining([expect.objectContaining({ level: 'error', code, field })]) as unknown,
    });
  });

  it('reports every problem of every definition together', async () => {
    const body = `
      @Tool({ description: '' }) a() { return 1; }
      @Tool({ description: 'x', name: 'not legal' }) b() { return 1; }
      @Reward() half(only: string): number { return only.length; }
      run(ctx: RolloutContext) { return ctx.complete([]); }`;
    const { code, stderr } = await validate(agent(body.replace('@Reward()', '@(Reward() as any)')));
    expect(code).toBe(4);
    for (const issue of ['MISSING_FUNCTION_DESCRIPTION', 'INVALID_FUNCTION_NAME', 'REWARD_ARITY', 'RUN_NOT_ASYNC']) {
      expect(stderr).toContain(`[${issue}]`);
    }
    expect(stderr).toContain('4 error(s)');
  });

  it('runs one rollout: an agent that fails in it gets a warning, shown with -v', async () => {
    const source = agent("async run(): Promise<never> { throw new Error('no database'); }");
    const quiet = await validate(source);
    expect(quiet).toMatchObject({ code: 0, stdout: expect.stringMatching(/ {2}- Warnings: 1\n$/) as string });
    const verbose = await validate(source, '-v');
    expect(verbose.stdout).toContain('    - [DRY_RUN_FAILED] run: the rollout ended as ERROR: no database (tested)');
    const without = await validate(source, '--no-dry-run');
    expect(without.stdout).not.toContain('Warnings');
  });

  it('gives the whole report as JSON', async () => {
    const { stdout } = await validate(AGENT_SOURCE, '--json');
    expect(JSON.parse(stdout)).toEqual({
      schemaVersion: 1,
      ok: true,
      command: 'validate',
      data: { valid: true, issues: [], agents: [{ name: 'calculator', tools: ['add'], rewards: ['exact'] }] },
    });
  });
});

describe('loading: every way to fail has its own message', () => {
  const project = (): string =>
    createProject({
      'agent.ts': AGENT_SOURCE,
      'things.ts': "export class Plain {}\nexport const text = 'x';\nexport function call() {}\n",
      'two.ts': `${AGENT_SOURCE}\n@Agent({ name: 'other' })\nexport class OtherAgent {}\n`,
      'broken.ts': 'export class {',
      'throws.ts': "throw new RangeError('boom');\n",
      'imports.ts': "import './missing.js';\n",
      'typed.ts': AGENT_SOURCE.replace('type ExtraInfo', 'ExtraInfo'),
      'needs.ts': `
        import { Agent } from 'nestjs-osmosis';
        export class Audit {}
        export class Ledger {}
        @Agent({ name: 'needy' })
        export class NeedyAgent { constructor(readonly audit: Audit, readonly ledger: Ledger) {} }`,
      'constructs.ts': `
        import { Agent } from 'nestjs-osmosis';
        @Agent({ name: 'fragile' })
        export class FragileAgent { constructor() { throw new Error('no key'); } }`,
      'empty/x': '',
      'notes.txt': '',
    });

  it.each([
    ['nope.ts', 2, "Cannot find 'nope.ts'. There is no such file or folder in"],
    ['agent.ts:Nope', 2, "agent.ts has no export 'Nope'. Available exports: CalculatorAgent."],
    ['agent.ts:', 2, "Invalid module path 'agent.ts:'"],
    ['two.ts', 2, 'two.ts has several candidates. Choose one with -m: two.ts:CalculatorAgent, two.ts:OtherAgent.'],
    ['empty', 2, "The folder 'empty' has nothing to load"],
    ['notes.txt', 2, "Cannot load 'notes.txt': it is no JavaScript or TypeScript."],
    ['things.ts', 4, 'things.ts exports neither a class with @Agent nor a Nest module. Its exports: '],
    ['things.ts:Plain', 4, "'Plain' is a class but has neither @Agent nor @Module."],
    ['things.ts:text', 4, "'text' is of type string, not a class with @Agent"],
    ['things.ts:call', 4, "'call' is a function, not a class with @Agent"],
    ['broken.ts', 4, 'syntax error'],
    ['throws.ts', 4, 'running it threw RangeError: boom. --debug shows where.'],
    ['imports.ts', 4, 'it imports something that is missing'],
    ['typed.ts', 4, "If ExtraInfo is a type, import it with 'import { type ExtraInfo }'."],
    [
      'needs.ts',
      4,
      'needs.ts:NeedyAgent cannot be made: it injects Audit, Ledger, and nobody provides that. Pass a Nest module',
    ],
    ['constructs.ts', 4, 'constructs.ts:FragileAgent cannot be started: no key.'],
  ])('CL-17: -m %s ends with %d', async (module, code, message) => {
    const result = await runCli(['validate', '-m', module], { cwd: project() });
    expect(result.stderr).toContain(message);
    expect(result).toMatchObject({ code, stdout: '' });
    expect(result.stderr).not.toMatch(/^ +at /m);
  });

  it('the stack comes with --debug', async () => {
    const { stderr } = await runCli(['validate', '-m', 'throws.ts', '--debug'], { cwd: project() });
    expect(stderr).toMatch(/Caused by: RangeError: boom\n +at .*throws\.ts/);
  });

  it('every form that is documented loads', async () => {
    const compiled = `
      const { Agent } = require('nestjs-osmosis');
      class Compiled {}
      Agent({ name: 'compiled' })(Compiled);
      exports.Compiled = Compiled;`;
    const cwd = createProject({
      'agent.ts': AGENT_SOURCE,
      'src/uses-extensionless.ts': "export * from '../agent';\n",
      'c.cjs': compiled,
      'e.mjs': "export { CalculatorAgent as default } from './agent-copy.mjs';\n",
      'agent-copy.mjs':
        "import { Agent } from 'nestjs-osmosis';\nexport class CalculatorAgent {}\nAgent({ name: 'esm' })(CalculatorAgent);\n",
      'node_modules/pkg/package.json': '{"name":"pkg","type":"module","exports":{".":{"import":"./main.js"}}}',
      'node_modules/pkg/main.js': "export * from '../../agent-copy.mjs';\n",
      'dist/index.js': compiled,
    });
    const named = async (module: string): Promise<string | undefined> => {
      const { stdout, stderr } = await runCli(['validate', '--no-dry-run', '-m', module], { cwd });
      return /Agent loop '(\w+)'/.exec(stdout)?.[1] ?? stderr;
    };
    expect(await named('./agent.ts:CalculatorAgent')).toBe('calculator');
    expect(await named('agent')).toBe('calculator');
    expect(await named('src/uses-extensionless.ts')).toBe('calculator');
    expect(await named('c.cjs:Compiled')).toBe('compiled');
    expect(await named('e.mjs')).toBe('esm');
    expect(await named('pkg')).toBe('esm');
    expect(await named('dist')).toBe('compiled');
  });

  it("the project's tsconfig applies: its path aliases are resolved", async () => {
    const cwd = createProject({
      'tsconfig.json': '{"compilerOptions":{"target":"ES2022","paths":{"@own/*":["./lib/*"]}}}',
      'lib/agent.ts': AGENT_SOURCE,
      'main.ts': "export { CalculatorAgent } from '@own/agent';\n",
    });
    expect(await runCli(['validate', '-m', 'main.ts', '--no-dry-run'], { cwd })).toMatchObject({ code: 0, stderr: '' });
  });

  it('a tsconfig may have comments and bases; sources come before what was compiled; JSON can be imported', async () => {
    const cwd = createProject({
      'tsconfig.json': '{ // ours\n "extends": "./base", "compilerOptions": { "strict": true, }, }',
      'base.json': '{"compilerOptions":{"target":"ES2022","useDefineForClassFields":false}}',
      'named.json': '{"name":"json"}',
      'fields.js': "throw new Error('the compiled file');\n",
      'fields.ts': 'class A { field?: string }\nexport const suffix: string = Object.keys(new A()).join();\n',
      'main.ts': `import named from './named.json' with { type: 'json' };
import { Agent } from 'nestjs-osmosis';
import { existsSync } from 'fs';
import { suffix } from './fields.js';
@Agent({ name: named.name + suffix + String(existsSync('main.ts')) }) export class MainAgent {}\n`,
    });
    const { stdout, stderr } = await runCli(['validate', '-m', 'main.ts', '--no-dry-run'], { cwd });
    expect({ stdout, stderr }).toEqual({
      stdout: "Agent loop 'jsontrue' validated successfully.\n  - Tools: 0\n",
      stderr: '',
    });
  });

  it('a tsconfig that cannot be read is told, and what it says is left out', async () => {
    const cwd = createProject({ 'tsconfig.json': '{"extends":"./gone"}', 'agent.ts': AGENT_SOURCE });
    const { code, stderr } = await runCli(['validate', '-m', 'agent.ts', '--no-dry-run'], { cwd });
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Read \S+tsconfig\.json failed: .*gone/);
  });
});

it('CL-17: an error that a module throws later is one line as well', async () => {
  const source =
    "setTimeout(() => { throw new Error('too late'); }, 1);\nawait new Promise(() => setTimeout(() => {}, 60_000));\n";
  const { code, stderr } = await runCli(['validate', '-m', 'late.ts'], { cwd: createProject({ 'late.ts': source }) });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: 'Error: too late. This was not expected; --debug shows where it comes from.\n',
  });
});

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const)('%s ends a command that is no server with %d', async (signal, code) => {
  const source = "console.error('LOADING');\nawait new Promise((resolve) => setTimeout(resolve, 60_000));\n";
  const cli = startCli(['validate', '-m', 'slow.ts'], { cwd: createProject({ 'slow.ts': source }) });
  await cli.output(/LOADING/);
  expect(await cli.stop(signal)).toMatchObject({ code, stdout: '' });
});
