import 'reflect-metadata';
import type { AgentDescriptor } from '#agent';
import { DefinitionError } from '#domain';
import { Agent } from '#osmosis';
import { checkAgentClass, checkAgentInstance } from './class-checks.js';
import { issuesOfStartFailure } from './problem-issues.js';
import { checkGivenTools } from './tool-checks.js';
import { reportOf, requireValid, ValidationIssue } from './validation.report.js';

const TOOL = {
  type: 'function',
  function: { name: 'add', description: 'adds', parameters: { type: 'object', properties: { a: { type: 'number' } } } },
};

/** As much of an agent as the checks look at. */
const AGENT = {
  name: 'tested',
  provider: { type: class Tested {} },
  tools: { get: (name: string) => (name === 'add' ? { definition: TOOL } : undefined) },
} as unknown as AgentDescriptor;

function issues(given: unknown): string[] {
  return checkGivenTools(AGENT, given).map(({ level, code, field }) => `${level} ${code} ${field}`);
}

function tool(changes: object): object {
  return { ...TOOL, function: { ...TOOL.function, ...changes } };
}

describe('what getTools gives (spec 6)', () => {
  it('12.14: whole definitions, names of decorated tools and no tools at all are fine', () => {
    expect(issues([TOOL])).toEqual([]);
    expect(issues(['add'])).toEqual([]);
    expect(issues([])).toEqual([]);
  });

  it.each([
    [null, 'error GET_TOOLS_RETURNS_NONE getTools'],
    [undefined, 'error GET_TOOLS_RETURNS_NONE getTools'],
    ['add', 'error GET_TOOLS_INVALID_TYPE getTools'],
    [[5], 'error INVALID_TOOL_TYPE tools[0]'],
    [['nope'], 'error INVALID_TOOL_TYPE tools[0]'],
    [[{ function: TOOL.function }], 'error MISSING_TOOL_TYPE tools[0]'],
    [[{ ...TOOL, type: 'other' }], 'warning UNKNOWN_TOOL_TYPE tools[0].type'],
    [[{ type: 'function' }], 'error MISSING_FUNCTION tools[0]'],
    [[{ type: 'function', function: [] }], 'error INVALID_FUNCTION_TYPE tools[0].function'],
    [[tool({ name: undefined })], 'error MISSING_FUNCTION_NAME tools[0].function.name'],
    [[tool({ name: ' ' })], 'error INVALID_FUNCTION_NAME tools[0].function.name'],
    [[tool({ name: 'a'.repeat(65) })], 'error INVALID_FUNCTION_NAME tools[0].function.name'],
    [[tool({ parameters: null })], 'error INVALID_PARAMETERS_TYPE tools[0].function.parameters'],
    [
      [tool({ parameters: { type: 'array', properties: {} } })],
      'warning PARAMETERS_TYPE_NOT_OBJECT tools[0].function.parameters.type',
    ],
  ])('%j: %s', (given, expected) => {
    expect(issues(given)).toEqual([expected]);
  });

  it('13.6: a missing description is an error, because the server refuses such a tool at every init', () => {
    expect(issues([tool({ description: undefined })])).toEqual([
      'error MISSING_FUNCTION_DESCRIPTION tools[0].function.description',
    ]);
  });

  it('13.6: names must be unique, parameters complete and serialisable', () => {
    expect(issues([TOOL, tool({})])).toEqual(['error TOOL_DUPLICATE tools[1].function.name']);
    const field = 'tools[0].function.parameters.properties';
    expect(issues([tool({ parameters: { type: 'object' } })])).toEqual([`warning PARAMETERS_INCOMPLETE ${field}`]);
    expect(issues([tool({ parameters: { type: 'object', properties: { a: {} } } })])).toEqual([
      `warning PARAMETERS_INCOMPLETE ${field}.a`,
    ]);
    const circular: Record<string, unknown> = { type: 'object', properties: {} };
    circular['self'] = circular;
    expect(issues([tool({ parameters: circular })])).toEqual(['error TOOL_NOT_SERIALISABLE tools[0]']);
  });
});

describe('agent classes (spec 6)', () => {
  const check = (type: new () => object): string[] => checkAgentClass(type).map(({ code }) => code);

  it('a name and an async run, or none, are fine', () => {
    @Agent({ name: 'fine' })
    class Fine {
      async run(): Promise<void> {}
    }
    @Agent({ name: 'no-loop' })
    class NoLoop {}
    expect([check(Fine), check(NoLoop)]).toEqual([[], []]);
  });

  it.each([
    [{}, 'MISSING_NAME'],
    [{ name: 5 }, 'INVALID_NAME_TYPE'],
    [{ name: ' ' }, 'EMPTY_NAME'],
  ])('@Agent(%j): %s', (options, code) => {
    class Named {}
    Agent(options as never)(Named);
    expect(check(Named)).toEqual([code]);
  });

  it('run must be an async method', () => {
    @Agent({ name: 'plain' })
    class Plain {
      run(): Promise<void> {
        return Promise.resolve();
      }
    }
    @Agent({ name: 'accessor' })
    class Accessor {
      get run(): number {
        return 5;
      }
    }
    @Agent({ name: 'field' })
    class Field {
      run = async (): Promise<void> => {};
    }
    expect([check(Plain), check(Accessor)]).toEqual([['RUN_NOT_ASYNC'], ['RUN_NOT_CALLABLE']]);
    expect(checkAgentInstance(new Field(), Field).map(({ code }) => code)).toEqual(['MISSING_RUN_METHOD']);
  });

  it('an async method that was compiled for an old target is one', () => {
    const __awaiter = (body: () => unknown): Promise<unknown> => Promise.resolve(body());
    class Old {
      run(): Promise<unknown> {
        return __awaiter(() => 1);
      }
    }
    Agent({ name: 'old' })(Old);
    expect(check(Old)).toEqual([]);
  });
});

describe('the report', () => {
  it('12.14: issues read [CODE] field: message, or [CODE] message', () => {
    expect(new ValidationIssue('error', 'CODE', 'text', 'field').text).toBe('[CODE] field: text');
    expect(new ValidationIssue('error', 'CODE', 'text').text).toBe('[CODE] text');
  });

  it('12.14: it is invalid when one issue is an error; raising lists the errors', () => {
    const warning = new ValidationIssue('warning', 'ODD', 'odd');
    const error = new ValidationIssue('error', 'BAD', 'bad', 'run');
    expect(reportOf([warning], []).valid).toBe(true);
    expect(() => requireValid(reportOf([warning], []))).not.toThrow();
    expect(() => requireValid(reportOf([warning, error], []))).toThrow(
      'Agent loop validation failed with 1 error(s):\n  - [BAD] run: bad',
    );
  });

  it('problems of definitions become issues under the codes of the spec, where it has one', () => {
    const problem = { where: 'A.b', what: 'odd', cure: 'Mend it' };
    const failure = new DefinitionError([
      { ...problem, code: 'TOOL_NAME_ILLEGAL' },
      { ...problem, code: 'REWARD_ARITY' },
    ]);
    expect(issuesOfStartFailure(failure, [])).toMatchObject([
      { code: 'INVALID_FUNCTION_NAME', field: 'function.name', message: 'odd. Mend it', where: 'A.b' },
      { code: 'REWARD_ARITY' },
    ]);
    expect(issuesOfStartFailure(new Error('no database'), [])).toBeUndefined();
  });
});
