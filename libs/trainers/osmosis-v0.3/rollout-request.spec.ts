import { inspect } from 'node:util';
import { parseBody } from '../http/body.js';
import { type InvalidRequestError, type RequestFault } from '../http/request-fault.js';
import { readRolloutRequest } from './rollout-request.js';

const MINIMAL = {
  initial_messages: [{ role: 'user', content: 'hi' }],
  chat_completions_url: 'http://127.0.0.1:9/c',
  completion_callback_url: 'http://127.0.0.1:9/done',
};

function read(fields: Record<string, unknown>): ReturnType<typeof readRolloutRequest> {
  return readRolloutRequest(parseBody(Buffer.from(JSON.stringify({ ...MINIMAL, ...fields })), undefined), 'calculator');
}

function faultsOf(fields: Record<string, unknown>): readonly Pick<RequestFault, 'type' | 'loc'>[] {
  try {
    read(fields);
    return [];
  } catch (error) {
    return (error as InvalidRequestError).faults.map(({ type, loc }) => ({ type, loc }));
  }
}

describe('readRolloutRequest (spec 0.3, 1.3, 8.1)', () => {
  it('wants exactly three fields', () => {
    expect(read({})).toMatchObject({
      label: null,
      metadata: {},
      wantsReward: false,
      limits: { agentMs: null, scoringMs: null },
    });
    for (const field of Object.keys(MINIMAL)) {
      expect(faultsOf({ [field]: undefined })).toEqual([{ type: 'missing', loc: ['body', field] }]);
    }
  });

  it('collects faults in the order of the fields', () => {
    const fields = {
      extra_fields: 1,
      llm_api_key: '',
      initial_messages: null,
      agent_timeout_sec: 'inf',
      rollout_id: '..',
    };
    expect(faultsOf(fields)).toEqual([
      { type: 'list_type', loc: ['body', 'initial_messages'] },
      { type: 'value_error', loc: ['body', 'rollout_id'] },
      { type: 'value_error', loc: ['body', 'llm_api_key'] },
      { type: 'value_error', loc: ['body', 'agent_timeout_sec'] },
      { type: 'dict_type', loc: ['body', 'extra_fields'] },
    ]);
  });

  it.each(['../other', 'a/b', 'a\\b', '/tmp/other', '\\tmp\\other', 'a\0b', '..', '.', '', 'a\nb', '\u0085'])(
    'refuses the id %j',
    (id) => {
      expect(faultsOf({ rollout_id: id })).toEqual([{ type: 'value_error', loc: ['body', 'rollout_id'] }]);
    },
  );

  it.each(['r1', 'rollout-xyz', 'abc_123', '8c1d…', 'tenant-a::r1', '...', '%2e%2e', ' ', '😀', 'r'.repeat(1_000)])(
    'takes the id %j',
    (id) => {
      expect(read({ rollout_id: id }).rolloutId).toBe(id);
    },
  );

  it('an id that is missing or null is made, another each time', () => {
    const ids = [{}, { rollout_id: null }].map((fields) => read(fields).rolloutId);
    expect(ids).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(new Set(ids).size).toBe(2);
  });

  it('wants a reward when there is a grader, and a label or metadata, though empty', () => {
    const grader_callback_url = 'http://127.0.0.1:9/grade';
    expect(read({ grader_callback_url }).wantsReward).toBe(false);
    expect(read({ grader_callback_url, label: '' }).wantsReward).toBe(true);
    expect(read({ grader_callback_url, metadata: {} }).wantsReward).toBe(true);
    expect(read({ grader_callback_url: '', label: '4' }).wantsReward).toBe(false);
    expect(read({ label: '4' }).wantsReward).toBe(false);
  });

  it('keeps metadata and extra fields unchanged', () => {
    const fields = { metadata: { a: [1, { b: null }] }, extra_fields: { row_index: 0 } };
    expect(read(fields)).toMatchObject({ metadata: fields.metadata, extraFields: fields.extra_fields });
  });

  it('takes time-outs as the reference does, in any spelling of a finite number', () => {
    const limits = (seconds: unknown): unknown => read({ agent_timeout_sec: seconds, grader_timeout_sec: 2 }).limits;
    expect(limits('7')).toEqual({ agentMs: 7_000, scoringMs: 2_000 });
    expect(limits(true)).toMatchObject({ agentMs: 1_000 });
    expect(limits(-3)).toMatchObject({ agentMs: -3_000 });
    expect(limits(null)).toMatchObject({ agentMs: null });
  });

  it('A-NOKEY: shows no key, whatever prints the request or its faults', () => {
    const keys = { controller_api_key: 'SECRET-1', llm_api_key: 'SECRET-2' };
    expect(inspect(read(keys), { depth: 9 }) + JSON.stringify(read(keys))).not.toContain('SECRET');
    const broken = { controller_api_key: 'SECRET-1\nx', llm_api_key: 'SECRET-2\u0000x' };
    expect(faultsOf(broken)).toHaveLength(2);
    expect(() => read(broken)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('SECRET') }));
  });
});
