import { atifFaults } from './atif-faults.js';

const AGENT = { name: 'a', version: '1' };
const STEP = { step_id: 1, source: 'agent', message: 'x' };

function faults(step: object, more: object = {}): readonly string[] {
  return atifFaults({ schema_version: 'ATIF-v1.7', agent: AGENT, steps: [{ ...STEP, ...step }], ...more });
}

describe('spec 0.3, 8.8: atifFaults', () => {
  it('finds nothing in a document that has everything', () => {
    const observation = {
      results: [
        {
          source_call_id: 'c',
          content: [{ type: 'image', source: { media_type: 'image/png', path: 'p' } }],
          subagent_trajectory_ref: [{ trajectory_id: 't' }, { trajectory_path: 'p', session_id: 's', extra: {} }],
          extra: { nothing: null },
        },
      ],
    };
    const subagent = { schema_version: 'ATIF-v1.0', trajectory_id: 't', agent: AGENT, steps: [STEP] };
    expect(
      faults(
        {
          timestamp: '2026-11-29T18:00:00Z',
          model_name: 'm',
          reasoning_effort: 0.5,
          message: [{ type: 'text', text: '' }],
          reasoning_content: 'r',
          tool_calls: [{ tool_call_id: 'c', function_name: 'f', arguments: { a: null }, extra: {} }],
          observation,
          metrics: {
            prompt_tokens: 1,
            completion_tokens: 1,
            cached_tokens: 0,
            cost_usd: 0.1,
            prompt_token_ids: [1],
            completion_token_ids: [],
            logprobs: [-0.5],
            extra: {},
          },
          is_copied_context: false,
          llm_call_count: 1,
          extra: {},
        },
        {
          session_id: 's',
          trajectory_id: 't',
          agent: { ...AGENT, model_name: 'm', tool_definitions: [{ type: 'function' }], extra: {} },
          notes: 'n',
          final_metrics: { total_prompt_tokens: 1, total_cost_usd: 0, total_steps: 1, extra: {} },
          continued_trajectory_ref: 'r',
          extra: { deep: [{ null: null }] },
          subagent_trajectories: [subagent],
        },
      ),
    ).toEqual([]);
  });

  it.each<[object, string]>([
    [{ step_id: 0 }, 'document.steps[0].step_id is no whole number from 1'],
    [{ step_id: 2 }, 'document.steps[0].step_id is 2, and must be 1'],
    [{ step_id: '1' }, 'document.steps[0].step_id is no whole number from 1'],
    [{ source: 'tool' }, 'document.steps[0].source is none of system, user, agent'],
    [{ message: null }, 'document.steps[0].message is no list'],
    [{ source: 'user', metrics: {} }, 'document.steps[0].metrics belongs to agents only'],
    [{ source: 'system', reasoning_content: '' }, 'document.steps[0].reasoning_content belongs to agents only'],
    [
      { llm_call_count: 0, reasoning_content: 'r' },
      'document.steps[0].reasoning_content needs a call of the model, and there was none',
    ],
    [{ timestamp: 'yesterday' }, 'document.steps[0].timestamp is no ISO 8601 time'],
    [{ timestamp: 1751000000 }, 'document.steps[0].timestamp is no ISO 8601 time'],
    [{ model_name: null }, 'document.steps[0].model_name is no text'],
    [{ unknown: 1 }, 'document.steps[0].unknown is no field of the format'],
    [{ reasoning_effort: NaN }, 'document.steps[0].reasoning_effort is no finite number'],
    [{ is_copied_context: 'no' }, 'document.steps[0].is_copied_context is neither true nor false'],
    [{ metrics: { cost_usd: Infinity } }, 'document.steps[0].metrics.cost_usd is no finite number'],
    [{ metrics: { prompt_tokens: 1.5 } }, 'document.steps[0].metrics.prompt_tokens is no whole number'],
    [{ metrics: { logprobs: [0, NaN] } }, 'document.steps[0].metrics.logprobs[1] is no finite number'],
    [{ metrics: { model_name: 'm' } }, 'document.steps[0].metrics.model_name is no field of the format'],
    [{ extra: { a: [NaN] } }, 'document.steps[0].extra.a[0] is no finite number'],
    [{ extra: { a: 1n } }, 'document.steps[0].extra.a is a bigint, which is no JSON'],
    [{ extra: { a: new Date(0) } }, 'document.steps[0].extra.a is no plain object'],
    [
      { tool_calls: [{ tool_call_id: 'c', function_name: 'f' }] },
      'document.steps[0].tool_calls[0].arguments is missing',
    ],
    [
      { observation: { results: [{ source_call_id: 'other' }] } },
      'document.steps[0].observation.results[0].source_call_id is that of no tool call of the step',
    ],
    [
      { observation: { results: [{ subagent_trajectory_ref: [{ session_id: 's' }] }] } },
      'document.steps[0].observation.results[0].subagent_trajectory_ref[0] needs a trajectory_id or a trajectory_path',
    ],
    [{ message: [{ type: 'image' }] }, 'document.steps[0].message[0] is of type image and has none'],
    [
      { message: [{ type: 'text', text: 'a', source: { media_type: 'image/png', path: 'p' } }] },
      'document.steps[0].message[0] is of type text and has something else, too',
    ],
  ])('%p: %s', (step, fault) => {
    expect(faults(step)).toEqual([fault]);
  });

  it.each<[object, string]>([
    [{ schema_version: 'ATIF-v1.8' }, 'document.schema_version is none of'],
    [{ steps: [] }, 'document.steps has fewer than 1 item(s)'],
    [{ agent: { name: 'a' } }, 'document.agent.version is missing'],
    [{ final_metrics: { total_steps: -1 } }, 'document.final_metrics.total_steps is no whole number from 0'],
    [{ final_metrics: { total_cost_usd: NaN } }, 'document.final_metrics.total_cost_usd is no finite number'],
    [{ extra: [] }, 'document.extra is no object'],
    [{ subagent_trajectories: [SUB(), SUB()] }, 'document.subagent_trajectories[1].trajectory_id is that of a sibling'],
    [
      { subagent_trajectories: [{ ...SUB(), trajectory_id: undefined }] },
      'document.subagent_trajectories[0].trajectory_id is no text',
    ],
  ])('%j: %s', (more, fault) => {
    expect(faults({}, more)).toEqual([expect.stringContaining(fault) as string]);
  });

  it.each([[null], ['text'], [[]], [undefined]])('%j is no document', (value) => {
    expect(atifFaults(value)).toEqual(['document is no object']);
  });
});

function SUB(): object {
  return { schema_version: 'ATIF-v1.7', trajectory_id: 't', agent: AGENT, steps: [STEP] };
}
