import {
  AgentNotFoundError,
  DefinitionError,
  formatProblem,
  isRetryableStatus,
  PeerError,
  PeerStatusError,
  PeerTimeoutError,
  ProtocolError,
  ToolArgumentError,
  ToolExecutionError,
  TransportError,
} from './errors.js';
import { OsmosisError } from './osmosis.error.js';

describe('12.2: every error is an OsmosisError and keeps its text', () => {
  it.each([
    ['TransportError', new TransportError('text'), 'TRANSPORT', true],
    ['PeerTimeoutError', new PeerTimeoutError('text'), 'TIMEOUT', true],
    ['ProtocolError', new ProtocolError('text'), 'PROTOCOL', true],
    ['PeerStatusError', new PeerStatusError('text', { status: 500 }), 'PEER_ERROR', true],
    ['ToolExecutionError', new ToolExecutionError('text'), 'TOOL_EXECUTION', false],
    ['ToolArgumentError', new ToolArgumentError('text'), 'TOOL_ARGUMENT', false],
    ['ToolExecutionError', new ToolExecutionError('text', {}, 'TOOL_TIMEOUT'), 'TOOL_TIMEOUT', true],
  ])('%s', (name, error, code, retryable) => {
    expect(error).toBeInstanceOf(OsmosisError);
    expect(error).toMatchObject({ name, code, retryable, message: 'text' });
  });
});

describe('PeerStatusError', () => {
  it.each([
    [400, 'PEER_REFUSED'],
    [404, 'PEER_REFUSED'],
    [408, 'PEER_ERROR'],
    [422, 'PEER_REFUSED'],
    [425, 'PEER_ERROR'],
    [429, 'PEER_ERROR'],
    [500, 'PEER_ERROR'],
    [502, 'PEER_ERROR'],
    [503, 'PEER_ERROR'],
    [599, 'PEER_ERROR'],
    [302, 'PEER_REFUSED'],
  ])('12.2: keeps status %d and is a %s', (status, code) => {
    const error = new PeerStatusError('text', { status });
    expect(error).toBeInstanceOf(PeerError);
    expect(error).toMatchObject({ status, code, retryable: isRetryableStatus(status) });
    expect(error.retryable).toBe(code === 'PEER_ERROR');
  });

  it('NT-03: carries how long the peer asked to wait', () => {
    expect(new PeerStatusError('text', { status: 429, retryAfterMs: 7_000 }).retryAfterMs).toBe(7_000);
    expect(new TransportError('text')).toMatchObject({ retryAfterMs: undefined, status: undefined });
  });

  it('lets its maker overrule whether a retry may help', () => {
    expect(new PeerStatusError('text', { status: 500, retryable: false }).retryable).toBe(false);
  });
});

describe('tool errors', () => {
  it('12.2: a ToolArgumentError is a ToolExecutionError and knows its call', () => {
    const error = new ToolArgumentError('bad', { toolCallId: 'call_1', toolName: 'add' });
    expect(error).toBeInstanceOf(ToolExecutionError);
    expect(error).toMatchObject({ toolCallId: 'call_1', toolName: 'add' });
  });

  it('name no call when they know none', () => {
    expect(new ToolExecutionError('bad')).toMatchObject({ toolCallId: '', toolName: '' });
  });
});

describe('AgentNotFoundError', () => {
  it('12.2: names the agent that is missing and those that are known', () => {
    const error = new AgentNotFoundError('missing_agent', ['agent1', 'agent2'], ' Did you mean agent1?');
    expect(error.message).toBe(
      "Agent 'missing_agent' not found. Known agents: 'agent1', 'agent2'. Did you mean agent1?",
    );
    expect(error).toMatchObject({ agent: 'missing_agent', available: ['agent1', 'agent2'], httpStatus: 404 });
  });

  it('12.2: says so when none is known', () => {
    expect(new AgentNotFoundError('missing_agent', []).message).toBe(
      "Agent 'missing_agent' not found. Known agents: none.",
    );
  });
});

describe('DefinitionError', () => {
  const unnamed = { code: 'AGENT_NAME_MISSING', where: 'Solver', what: 'the agent has no name', cure: 'Give it one.' };
  const inputless = {
    code: 'TOOL_INPUT_MISSING',
    where: 'Solver.add',
    module: 'AppModule',
    what: 'the tool has no input class',
    cure: 'Declare one.',
  };

  it('lists every problem with place, module, fault and cure', () => {
    const error = new DefinitionError([unnamed, inputless]);
    expect(error.message).toBe(
      [
        'Cannot start: 2 problems in agent definitions.',
        '  - Solver: the agent has no name. Give it one.',
        '  - Solver.add (AppModule): the tool has no input class. Declare one.',
      ].join('\n'),
    );
    expect(error).toMatchObject({
      code: 'DEFINITION_INVALID',
      problems: [unnamed, inputless],
      details: { problems: [unnamed, inputless] },
    });
  });

  it('counts a single problem in the singular', () => {
    expect(new DefinitionError([unnamed]).message).toBe(
      `Cannot start: 1 problem in agent definitions.\n  - ${formatProblem(unnamed)}`,
    );
  });
});
